package dev.nodepath.linux.namespace;

import dev.nodepath.linux.address.IpFamily;
import dev.nodepath.linux.link.BridgeNetfilter;
import dev.nodepath.linux.link.Link;
import dev.nodepath.linux.link.LinkOperations;
import dev.nodepath.linux.nftables.NftChain;
import dev.nodepath.linux.nftables.NftChange;
import dev.nodepath.linux.nftables.NftElement;
import dev.nodepath.linux.nftables.NftJump;
import dev.nodepath.linux.nftables.NftListedRule;
import dev.nodepath.linux.nftables.NftSet;
import dev.nodepath.linux.nftables.NftTable;
import dev.nodepath.linux.route.NeighbourTables;
import dev.nodepath.linux.route.RouteOperations;
import dev.nodepath.linux.syscall.LinuxNetException;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * An opened network namespace: its links, addresses and routes, over a netlink socket that was opened inside it and
 * stays there, so any thread may call, one request at a time. Closing it frees the handle, not the namespace. Later
 * calls throw {@link IllegalStateException}.
 *
 * <p>Kernel errors are a {@link LinuxNetException} with the errno and the kernel's message.
 */
public interface NetworkNamespace extends LinkOperations, RouteOperations, AutoCloseable {
    /**
     * Runs a task on a new platform thread inside this namespace, and waits for its end. A LinuxNetException,
     * RuntimeException or Error of the task is thrown as it is. An interrupt of the caller interrupts the task. The
     * call still waits for the task's end, and the caller stays interrupted.
     *
     * @throws LinuxNetException EIO for any other checked exception of the task, which is its cause
     */
    <T> T call(NamespaceTask<T> task) throws LinuxNetException;

    /** A task that runs inside a namespace. Sockets that it opens stay in that namespace. */
    @FunctionalInterface
    interface NamespaceTask<T> {
        /** Does the work. */
        T run() throws Exception;
    }

    /**
     * Makes a veth pair with one end here and the other in the peer's namespace.
     *
     * @return the end in this namespace; {@link Link#peerIndex} is the other end's index in its own namespace
     * @throws LinuxNetException EEXIST if either name is taken; the rest as {@link #createBridge}
     * @throws IllegalArgumentException if the peer's namespace is not one of the same kind
     */
    Link createVeth(VethSpec spec) throws LinuxNetException;

    /**
     * Whether a bridge passes the packets of a family to netfilter. The kernel asks the bridge's own setting and the
     * one of all bridges ({@code br_netfilter_hooks.c}), for each family. False without br_netfilter.
     */
    default boolean hasNetfilter(Link bridge, IpFamily family) throws LinuxNetException {
        if (bridge.netfilter().contains(family)) {
            return true;
        }
        try {
            return sysctl("net/bridge/" + BridgeNetfilter.setting(family)).equals("1");
        } catch (LinuxNetException e) {
            if (e.isMissing()) {
                return false;
            }
            throw e;
        }
    }

    /** The namespace's neighbour tables. They are valid until this handle is closed. */
    NeighbourTables neighbourTables();

    /** Starts to listen for changes. The caller closes the watch. */
    NetworkWatch watch() throws LinuxNetException;

    /**
     * Reads a setting of this namespace, by its path below {@code /proc/sys} with slashes, such as
     * {@code net/ipv4/ip_forward}.
     *
     * @throws LinuxNetException ENOENT if the kernel has no such setting
     * @throws IllegalArgumentException if the path is not one below {@code net/}
     */
    String sysctl(String key) throws LinuxNetException;

    /** Writes a setting of this namespace, see {@link #sysctl}. EINVAL if the kernel does not take the value. */
    default void setSysctl(String key, String value) throws LinuxNetException {
        setSysctls(Map.of(key, value));
    }

    /** Writes several settings in their order, until one fails. */
    void setSysctls(Map<String, String> settings) throws LinuxNetException;

    /** Whether there is a table of nf_tables. A kernel without nf_tables has none. */
    boolean hasNftTable(NftTable table) throws LinuxNetException;

    /** Whether there is a table of nf_tables, and no program has made it dormant, so that it sees packets. */
    boolean isNftTableInForce(NftTable table) throws LinuxNetException;

    /** The rules of an nf_tables chain, in order. Empty if the chain is missing or the kernel has no nf_tables. */
    List<NftListedRule> nftRules(NftChain chain) throws LinuxNetException;

    /** The rules of a chain that jump to another chain. */
    List<NftJump> nftJumps(NftChain chain) throws LinuxNetException;

    /** The elements of a set or map, in any order. Empty if it is missing or the kernel has no nf_tables. */
    List<NftElement> nftElements(NftSet set) throws LinuxNetException;

    /** The names of the existing legacy iptables tables, such as {@code nat}. It creates none. EACCES without root. */
    Set<String> legacyTables(IpFamily family) throws LinuxNetException;

    /**
     * Changes nf_tables in one transaction: the kernel makes all changes or none.
     *
     * @throws LinuxNetException ENOENT if a table, chain or rule to delete is missing, EOPNOTSUPP if the kernel lacks
     *     a part that a rule needs
     */
    void nftApply(List<NftChange> changes) throws LinuxNetException;

    @Override
    void close();
}
