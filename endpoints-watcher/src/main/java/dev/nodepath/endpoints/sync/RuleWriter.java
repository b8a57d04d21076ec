package dev.nodepath.endpoints.sync;

import dev.nodepath.endpoints.ServicePortName;
import dev.nodepath.endpoints.ServiceSnapshot;
import dev.nodepath.linux.address.IpFamily;
import java.io.IOException;
import java.util.Collection;
import java.util.Optional;
import java.util.SortedMap;

/**
 * Writes the rules of one mode for one family, as {@link RuleSync} asks. For one thread.
 *
 * @param <O> the options of the rules, as they are on this host
 * @param <C> the values that all rules share. All rules change when they do
 * @param <S> the size of the rules in force, for metrics
 */
public interface RuleWriter<O, C, S> {
    /** The family. */
    IpFamily family();

    /**
     * Does what an earlier write has left for later. A failure does not delay new rules.
     *
     * @return whether it is still known what is in force. Otherwise all rules have to be replaced
     */
    boolean tidy();

    /**
     * The values that the rules of a snapshot share.
     *
     * @param changed the service ports that changed since the last call; all of them for the first one
     */
    C context(ServiceSnapshot desired, Collection<ServicePortName> changed, O options) throws IOException;

    /** The values that the rules of a snapshot share, whatever earlier calls have said. */
    C context(ServiceSnapshot desired, O options) throws IOException;

    /** Brings all rules into force, and repairs what others have changed. */
    void replace(ServiceSnapshot desired, C context) throws IOException;

    /** Brings the rules of these service ports into force. Its cost is proportional to them. */
    void update(ServiceSnapshot desired, C context, Collection<ServicePortName> changed) throws IOException;

    /**
     * Looks for changes by other programs.
     *
     * @return whether all rules have to be replaced
     */
    boolean look();

    /** Offers the kernel again what it has refused. */
    void retryRefused() throws IOException;

    /** The service ports without rules, with the reason of each. */
    SortedMap<String, String> refused();

    /** How often changes of others were repaired. */
    long repairs();

    /** The size of what is in force. */
    S size();

    /** What to do about a kernel that lacks a part of what the rules need; empty if it lacks none that is known. */
    default Optional<String> advice() {
        return Optional.empty();
    }
}
