package dev.nodepath.linux.nftables;

import dev.nodepath.linux.syscall.LinuxNetException;
import java.util.Map;
import java.util.Optional;

/** The tables of nf_tables in one network namespace. Any thread may use them. */
public interface NftTables extends AutoCloseable {

    /**
     * The number of transactions that any program has made in the namespace. It wraps around at 32 bits.
     *
     * @throws LinuxNetException EPERM without CAP_NET_ADMIN, EINVAL if the kernel has no nf_tables
     */
    int generation() throws LinuxNetException;

    /**
     * Reads a table with its content; empty if there is no such table. Rules with expressions that no
     * {@link NftStatement} stands for are read as such, see {@link NftStatement.Unknown}.
     *
     * @throws LinuxNetException EAGAIN if other programs change the tables all the time
     */
    Optional<NftTableState> read(NftTable table) throws LinuxNetException;

    /**
     * The packets that the counters of a table have counted since their rules were written, by chain. A chain without
     * counters is left out; a table that does not exist has none.
     */
    Map<String, Long> countedPackets(NftTable table) throws LinuxNetException;

    /** The packets that the counters of one chain have counted; 0 without counters, and if it does not exist. */
    default long countedPackets(NftChain chain) throws LinuxNetException {
        return countedPackets(chain.table()).getOrDefault(chain.name(), 0L);
    }

    /**
     * Makes the changes of a transaction, all or none.
     *
     * @throws NftRefusedException if the kernel refused a change
     * @throws LinuxNetException EMSGSIZE if it is larger than {@link #transactionBytesMax}; EAGAIN or ENOBUFS if the
     *     answer is unknown
     */
    void apply(NftTransaction transaction) throws LinuxNetException, NftRefusedException;

    /**
     * Tries the changes of a transaction without making them. The kernel checks each as in {@link #apply}.
     *
     * @throws NftRefusedException if the kernel would refuse a change
     * @throws LinuxNetException as {@link #apply}
     */
    void check(NftTransaction transaction) throws LinuxNetException, NftRefusedException;

    /**
     * Whether other programs may have changed a table since the last call with it. True at the first call, and if
     * announcements of the kernel were lost.
     *
     * @throws LinuxNetException if the announcements cannot be read
     */
    boolean mayHaveChanged(NftTable table) throws LinuxNetException;

    /** The largest transaction, in bytes. */
    int transactionBytesMax() throws LinuxNetException;

    @Override
    void close();
}
