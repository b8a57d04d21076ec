package dev.nodepath.linux.conntrack;

import dev.nodepath.linux.syscall.LinuxNetException;
import java.util.OptionalLong;

/**
 * Named packet counters of one network namespace ({@code nfacct(8)}). Rules refer to them by name. A counter keeps its
 * value when rules are rewritten. Needs CAP_NET_ADMIN.
 */
public interface PacketCounters extends AutoCloseable {
    /**
     * Creates a counter at 0. An existing counter keeps its value.
     *
     * @param name 1 to 31 bytes ({@code NFACCT_NAME_MAX} in {@code linux/netfilter/nfnetlink_acct.h})
     * @throws LinuxNetException EINVAL if the kernel has no such counters, EPERM without the right to
     */
    void create(String name) throws LinuxNetException;

    /**
     * The number of counted packets; empty if there is no such counter.
     *
     * @throws LinuxNetException as {@link #create}
     */
    OptionalLong packets(String name) throws LinuxNetException;

    /**
     * Whether a rule names the counter; false if there is no such counter.
     *
     * @throws LinuxNetException as {@link #create}
     */
    boolean isNamed(String name) throws LinuxNetException;

    /**
     * Removes a counter. A missing one is no error.
     *
     * @throws LinuxNetException EBUSY while a rule names it; the rest as {@link #create}
     */
    void delete(String name) throws LinuxNetException;

    @Override
    void close();
}
