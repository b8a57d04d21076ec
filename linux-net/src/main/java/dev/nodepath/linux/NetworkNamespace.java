package dev.nodepath.linux;

import java.util.List;
import java.util.Optional;

/**
 * An opened network namespace: its links, addresses and routes, over a netlink socket that was opened inside it and
 * stays there, so any thread may call. Closing it frees the handle, never the namespace.
 *
 * <p>Errors of the kernel come back as {@link LinuxNetException} with the errno and the kernel's own text. A link is
 * named by its interface index in this namespace; an index that is gone is ENODEV.
 */
public interface NetworkNamespace extends AutoCloseable {

    /** Runs a task on a new platform thread that is inside this namespace and ends with the task. */
    <T> T call(NamespaceTask<T> task) throws LinuxNetException;

    /** A task that runs inside a namespace. Sockets that it opens stay in that namespace. */
    @FunctionalInterface
    interface NamespaceTask<T> {
        /** Does the work; what it throws reaches the caller of {@link NetworkNamespace#call} as the cause. */
        T run() throws Exception;
    }

    /** All links, by index. */
    List<Link> links() throws LinuxNetException;

    /** The link of this name. */
    Optional<Link> link(String name) throws LinuxNetException;

    /**
     * Makes a bridge, its MAC given at creation so that it never follows its ports.
     *
     * @throws LinuxNetException EEXIST if the name is taken
     */
    Link createBridge(BridgeSpec spec) throws LinuxNetException;

    /**
     * Makes a veth pair, one end born here, the other in the peer's namespace.
     *
     * @return the end in this namespace; {@link Link#peerIndex} is the other end's index in its own namespace
     * @throws LinuxNetException EEXIST if either name is taken
     */
    Link createVeth(VethSpec spec) throws LinuxNetException;

    /** Deletes a link; deleting one end of a veth pair deletes both. */
    void deleteLink(int index) throws LinuxNetException;

    /** Sets a link administratively up or down. */
    void setUp(int index, boolean up) throws LinuxNetException;

    /** Makes a link a port of a bridge; 0 frees it. EBUSY, ELOOP or EINVAL where the kernel refuses. */
    void setMaster(int index, int masterIndex) throws LinuxNetException;

    /** Sets the MTU, in bytes. EINVAL outside the link's limits. */
    void setMtu(int index, int mtu) throws LinuxNetException;

    /** Sets whether a bridge port sends frames back to where they came from. EOPNOTSUPP or EINVAL if it is no port. */
    void setHairpin(int index, boolean hairpin) throws LinuxNetException;

    /** All addresses of all links. */
    List<InterfaceAddress> addresses() throws LinuxNetException;

    /**
     * Adds an address without duplicate address detection.
     *
     * @throws LinuxNetException EEXIST if the link has it
     */
    void addAddress(int index, Cidr address) throws LinuxNetException;

    /** Removes an address. EADDRNOTAVAIL if the link does not have it. */
    void deleteAddress(int index, Cidr address) throws LinuxNetException;

    /** The unicast routes of the main table. */
    List<Route> routes() throws LinuxNetException;

    /**
     * Adds a route to the main table.
     *
     * @throws LinuxNetException EEXIST if there is one to the same destination; ENETUNREACH if the gateway is not on a link
     */
    void addRoute(Route route) throws LinuxNetException;

    /** Adds a route to the main table or replaces the one to the same destination. */
    void replaceRoute(Route route) throws LinuxNetException;

    /** Removes a route. ESRCH if there is none. */
    void deleteRoute(Route route) throws LinuxNetException;

    /**
     * Reads a setting of this namespace, by its path below {@code /proc/sys} with slashes, such as {@code net/ipv4/ip_forward}.
     *
     * @throws LinuxNetException ENOENT if the kernel has no such setting
     */
    String sysctl(String key) throws LinuxNetException;

    /** Writes a setting of this namespace, see {@link #sysctl}. */
    void setSysctl(String key, String value) throws LinuxNetException;

    @Override
    void close();
}
