package dev.nodepath.proxy.userspace.portals;

import java.io.IOException;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * What leads one family's clients to the relay, in the kernel. A process takes the portals over when it starts. If
 * they later lead to another live process, that process is the successor. Then this one writes nothing until the
 * successor is gone.
 */
public interface FamilyRules {
    /**
     * Changes some portals. Its cost is proportional to their number.
     *
     * @return whether they are in force; if not, {@link #bringIntoForce} must follow
     * @throws IOException if that failed
     */
    boolean update(PortalLayout layout, List<PortalChange> changes) throws IOException;

    /**
     * Brings all portals into force, unless a successor has them.
     *
     * @param repairs whether the snapshot is unchanged; then only what other programs have changed is repaired
     * @return the UDP ports of a dead process that clients were led to; null if a successor has the portals
     * @throws IOException if that failed
     */
    @Nullable
    Set<Integer> bringIntoForce(PortalLayout layout, Collection<Portal> portals, boolean repairs) throws IOException;

    /** How often everything was brought into force after other programs may have changed it. */
    long fullLooks();

    /**
     * Removes everything, unless another live process has replaced it with its own.
     *
     * @return whether another process has the portals
     * @throws IOException if that failed
     */
    boolean remove() throws IOException;

    /** Whether the kernel leads clients to another live process. */
    boolean areTakenOver() throws IOException;
}
