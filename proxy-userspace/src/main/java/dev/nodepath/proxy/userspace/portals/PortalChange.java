package dev.nodepath.proxy.userspace.portals;

import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A portal that was added, removed or changed.
 *
 * @param before null if there was none
 * @param after null if it was removed
 */
public record PortalChange(
        @Nullable Portal before, @Nullable Portal after) {
    /** The identity of the changed portal. */
    public Portal.Key key() {
        return (after != null ? after : Objects.requireNonNull(before)).key();
    }

    /**
     * Whether the kernel must lead clients to another place. A change of endpoints needs no new rule while there are
     * endpoints.
     */
    boolean leadsElsewhere() {
        if (before == null || after == null || !before.leadsAs(after)) {
            return true;
        }
        for (ServiceEntry entry : ServiceEntry.values()) {
            if (before.serves(entry) != after.serves(entry)) {
                return true;
            }
        }
        return false;
    }
}
