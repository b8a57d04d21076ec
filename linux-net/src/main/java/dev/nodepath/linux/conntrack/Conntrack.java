package dev.nodepath.linux.conntrack;

import dev.nodepath.linux.address.IpFamily;
import dev.nodepath.linux.syscall.Errno;
import dev.nodepath.linux.syscall.LinuxNetException;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;

/** The flows that the kernel tracks in one network namespace ({@code conntrack(8)}). Needs CAP_NET_ADMIN. */
public interface Conntrack extends AutoCloseable {
    /** The most flows that {@link #find} returns. */
    int FOUND_MAX = 100_000;

    /**
     * Lists flows in one request and returns those that match. A flow that begins or ends meanwhile may be missing, and
     * a flow may be listed twice.
     *
     * @return at most {@link #FOUND_MAX}
     * @throws LinuxNetException EPERM without CAP_NET_ADMIN; EINVAL or EOPNOTSUPP if the kernel has no conntrack
     */
    List<ConntrackFlow> find(FlowFilter filter, Predicate<ConntrackFlow> wanted) throws LinuxNetException;

    /**
     * As {@link #find(FlowFilter, Predicate)}, among the flows of every family and protocol. Each request walks the
     * table that all namespaces share, so one for everything costs a fraction of one for each family and protocol.
     */
    List<ConntrackFlow> findAmongAll(Predicate<ConntrackFlow> wanted) throws LinuxNetException;

    /**
     * The flow whose first packet had these addresses, in the default zone. Unlike {@link #find}, which walks the
     * flows of all namespaces, it takes hardly any time.
     *
     * @throws LinuxNetException as find
     */
    Optional<ConntrackFlow> get(int protocol, ConntrackFlow.Tuple original) throws LinuxNetException;

    /**
     * Removes exactly these flows. It skips a flow that has ended, even if a newer flow has the same addresses and
     * ports.
     *
     * @return how many were removed
     * @throws LinuxNetException if a flow could not be removed, such as EBUSY for one that hardware forwards. The
     *     others are removed.
     */
    int delete(List<ConntrackFlow> flows) throws LinuxNetException;

    /**
     * Removes all stale flows, in rounds of {@link #find} and {@link #delete}.
     *
     * @return how many were removed
     * @throws LinuxNetException as find and delete; EBUSY if there are more than {@link #FOUND_MAX} and a round removes
     *     none
     */
    default int deleteAll(FlowFilter filter, Predicate<ConntrackFlow> stale) throws LinuxNetException {
        int removed = 0;
        List<ConntrackFlow> found;
        do {
            found = find(filter, stale);
            int now = found.isEmpty() ? 0 : delete(found);
            if (now == 0 && found.size() == FOUND_MAX) {
                throw new LinuxNetException(
                        "delete " + filter + " flows", Errno.EBUSY.number(), "none of " + FOUND_MAX + " was removed");
            }
            removed += now;
        } while (found.size() == FOUND_MAX);
        return removed;
    }

    /** Removes all stale flows of a family and protocol, as {@link #deleteAll(FlowFilter, Predicate)}. */
    default int deleteAll(IpFamily family, int protocol, Predicate<ConntrackFlow> stale) throws LinuxNetException {
        return deleteAll(FlowFilter.of(family, protocol), stale);
    }

    @Override
    void close();
}
