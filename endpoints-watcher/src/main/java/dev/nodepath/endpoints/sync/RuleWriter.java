package dev.nodepath.endpoints.sync;

import dev.nodepath.endpoints.ServicePortName;
import dev.nodepath.endpoints.ServiceSnapshot;
import dev.nodepath.linux.address.IpFamily;
import java.io.IOException;
import java.util.Collection;
import java.util.Optional;
import java.util.SortedMap;

/**
 * Writes the rules of one mode for one family, as {@link RuleSync} asks. One thread uses it.
 *
 * @param <O> the options of the rules on this host
 * @param <C> the values that all rules share. A change of the options changes all rules
 * @param <S> the size of the rules in force, for metrics
 */
public interface RuleWriter<O, C, S> {
    /** The family. */
    IpFamily family();

    /**
     * Carries out postponed work of an earlier write. A failure does not delay new rules.
     *
     * @return whether the rules in force are still known. Otherwise all rules have to be replaced
     */
    boolean tidy();

    /**
     * The values that the rules of a snapshot share.
     *
     * @param changed the service ports that changed since the last call; all of them for the first one
     */
    C context(ServiceSnapshot desired, Collection<ServicePortName> changed, O options) throws IOException;

    /** The common values of a snapshot's rules, independent of earlier calls. */
    C context(ServiceSnapshot desired, O options) throws IOException;

    /** Brings all rules into force, and repairs changes by other programs. */
    void replace(ServiceSnapshot desired, C context) throws IOException;

    /** Brings the rules of these service ports into force. Its cost is proportional to them. */
    void update(ServiceSnapshot desired, C context, Collection<ServicePortName> changed) throws IOException;

    /**
     * Looks for changes by other programs.
     *
     * @return whether all rules have to be replaced
     */
    boolean look();

    /** Offers refused parts to the kernel again. */
    void retryRefused() throws IOException;

    /** The service ports without rules, with the reason of each. */
    SortedMap<String, String> refused();

    /** How often changes of others were repaired. */
    long repairs();

    /** The size of the rules in force. */
    S size();

    /** Advice for a kernel that lacks a part that the rules need; empty if it is not known to lack one. */
    default Optional<String> advice() {
        return Optional.empty();
    }
}
