package dev.nodepath.linux;

import java.util.List;
import java.util.function.Predicate;

/** The flows that the kernel tracks in one network namespace ({@code conntrack(8)}). Needs CAP_NET_ADMIN. */
public interface Conntrack extends AutoCloseable {
    /** Flows that {@link #find} gives at most. */
    int FOUND_MAX = 100_000;

    /**
     * Lists the flows of a family and protocol, in one request, and gives those that are wanted. A flow that comes or goes
     * meanwhile may be among them or not, and one may be there twice.
     *
     * @param protocol as in the IP header: 6 is TCP, 17 UDP
     * @return at most {@link #FOUND_MAX}
     * @throws LinuxNetException EPERM without the right to; EINVAL or EOPNOTSUPP if the kernel has no conntrack
     */
    List<ConntrackFlow> find(IpFamily family, int protocol, Predicate<ConntrackFlow> wanted) throws LinuxNetException;

    /**
     * Removes exactly these flows. One that is gone, or whose addresses and ports another flow has by now, is passed over.
     *
     * @return how many were removed
     * @throws LinuxNetException if any of them could not be removed, such as EBUSY for one that hardware forwards; the
     *     others are
     */
    int delete(List<ConntrackFlow> flows) throws LinuxNetException;

    /**
     * Removes all flows of a family and protocol that are stale, however many: {@link #find} and {@link #delete} in turns.
     *
     * @return how many were removed
     * @throws LinuxNetException as those two
     */
    default int deleteAll(IpFamily family, int protocol, Predicate<ConntrackFlow> stale) throws LinuxNetException {
        int removed = 0;
        List<ConntrackFlow> found;
        do {
            found = find(family, protocol, stale);
            removed += found.isEmpty() ? 0 : delete(found);
        } while (found.size() == FOUND_MAX);
        return removed;
    }

    @Override
    void close();
}
