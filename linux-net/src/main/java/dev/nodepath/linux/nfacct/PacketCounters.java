package dev.nodepath.linux.nfacct;

import dev.nodepath.linux.syscall.LinuxNetException;
import java.util.OptionalLong;

/**
 * Named packet counters of one network namespace ({@code nfacct(8)}), which rules name and the kernel keeps apart from them: a
 * counter goes on when the rules are written anew. Needs CAP_NET_ADMIN.
 */
public interface PacketCounters extends AutoCloseable {
    /**
     * Makes a counter that begins at 0; one that is there goes on.
     *
     * @param name 1 to 31 bytes ({@code NFACCT_NAME_MAX} in {@code linux/netfilter/nfnetlink_acct.h})
     * @throws LinuxNetException EINVAL if the kernel has no such counters, EPERM without the right to
     */
    void create(String name) throws LinuxNetException;

    /**
     * How many packets it has counted; empty if there is no such counter.
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
     * Removes a counter; one that is not there is fine.
     *
     * @throws LinuxNetException EBUSY while a rule names it; the rest as {@link #create}
     */
    void delete(String name) throws LinuxNetException;

    @Override
    void close();
}
