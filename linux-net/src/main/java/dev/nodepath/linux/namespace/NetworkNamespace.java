package dev.nodepath.linux.namespace;

import dev.nodepath.linux.address.Cidr;
import dev.nodepath.linux.address.IpAddress;
import dev.nodepath.linux.address.IpFamily;
import dev.nodepath.linux.address.MacAddress;
import dev.nodepath.linux.link.AddressOptions;
import dev.nodepath.linux.link.BridgeNetfilter;
import dev.nodepath.linux.link.BridgeSpec;
import dev.nodepath.linux.link.InterfaceAddress;
import dev.nodepath.linux.link.Link;
import dev.nodepath.linux.link.PortVlan;
import dev.nodepath.linux.link.VxlanSpec;
import dev.nodepath.linux.nftables.NftChain;
import dev.nodepath.linux.nftables.NftChange;
import dev.nodepath.linux.nftables.NftElement;
import dev.nodepath.linux.nftables.NftJump;
import dev.nodepath.linux.nftables.NftListedRule;
import dev.nodepath.linux.nftables.NftSet;
import dev.nodepath.linux.nftables.NftTable;
import dev.nodepath.linux.route.ListedRoute;
import dev.nodepath.linux.route.NeighbourTables;
import dev.nodepath.linux.route.Route;
import dev.nodepath.linux.route.RouteOptions;
import dev.nodepath.linux.syscall.LinuxNetException;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * An opened network namespace: its links, addresses and routes, over a netlink socket that was opened inside it and
 * stays there, so any thread may call, one request at a time. Closing it frees the handle, not the namespace. Later
 * calls throw {@link IllegalStateException}.
 *
 * <p>Kernel errors are a {@link LinuxNetException} with the errno and the kernel's message. A link is identified by its
 * interface index in this namespace. An unknown index is ENODEV.
 */
public interface NetworkNamespace extends AutoCloseable {
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

    /** All links, by index. */
    List<Link> links() throws LinuxNetException;

    /** The link of this name. */
    Optional<Link> link(String name) throws LinuxNetException;

    /** The link of this index. */
    Optional<Link> link(int index) throws LinuxNetException;

    /** The other end of a veth pair, in whatever namespace. Its indexes are those of its own namespace. */
    Optional<Link> peer(Link veth) throws LinuxNetException;

    /**
     * Makes a bridge. A MAC given at creation never follows the ports.
     *
     * @throws LinuxNetException EEXIST if the name is taken, ERANGE if it is longer than 15 bytes, EINVAL if it has a
     *     slash, colon, percent sign or white space, or if the MTU is out of range
     */
    Link createBridge(BridgeSpec spec) throws LinuxNetException;

    /**
     * Makes a veth pair with one end here and the other in the peer's namespace.
     *
     * @return the end in this namespace; {@link Link#peerIndex} is the other end's index in its own namespace
     * @throws LinuxNetException EEXIST if either name is taken; the rest as {@link #createBridge}
     * @throws IllegalArgumentException if the peer's namespace is not one of the same kind
     */
    Link createVeth(VethSpec spec) throws LinuxNetException;

    /**
     * Makes a VXLAN link.
     *
     * @throws LinuxNetException EEXIST if the name, or the identifier with the port, is taken; EOPNOTSUPP if the
     *     kernel has no VXLAN; the rest as {@link #createBridge}
     */
    Link createVxlan(VxlanSpec spec) throws LinuxNetException;

    /** Deletes a link; deleting one end of a veth pair deletes both. EOPNOTSUPP for loopback. */
    void deleteLink(int index) throws LinuxNetException;

    /**
     * Deletes several links at once, with one RCU grace period of some 15 ms. It skips missing links. All of them must
     * be deletable.
     */
    void deleteLinks(Collection<Integer> indexes) throws LinuxNetException;

    /**
     * Sets a link administratively up or down. Setting it down removes the link's routes and IPv6 addresses. Setting it
     * up restores only the routes to the networks of its IPv4 addresses.
     */
    void setUp(int index, boolean up) throws LinuxNetException;

    /**
     * Makes a link a port of a bridge; 0 releases it. A port of another bridge leaves that bridge first, even if the
     * call then fails.
     *
     * @throws LinuxNetException EINVAL if there is no such master or the link is loopback, EOPNOTSUPP if the master is
     *     no bridge, ELOOP if the link is a bridge itself, EBUSY if another user holds it
     */
    void setMaster(int index, int masterIndex) throws LinuxNetException;

    /** Sets the hardware address. A bridge then keeps it, even if the address did not change. */
    void setMac(int index, MacAddress mac) throws LinuxNetException;

    /** Sets the MTU, in bytes. EINVAL outside the link's limits. */
    void setMtu(int index, int mtu) throws LinuxNetException;

    /**
     * Sets whether a bridge may send a frame back out of the port that it came in by (hairpin). EOPNOTSUPP if the link
     * is no port.
     */
    void setHairpin(int index, boolean hairpin) throws LinuxNetException;

    /** Sets whether a bridge port exchanges no frames with other isolated ports. EOPNOTSUPP if it is no port. */
    void setIsolated(int index, boolean isolated) throws LinuxNetException;

    /**
     * Sets whether a bridge takes a port's frames to reserved group addresses (01:80:c2:00:00:00 to 0f) as all others.
     * If not, the port's own link receives most of them, and the bridge's rules do not see all. Frames to :01 (pause)
     * are always dropped. EOPNOTSUPP if the link is no port.
     */
    void setForwardsReserved(int index, boolean forwards) throws LinuxNetException;

    /** Sets a link's alias, a free text of at most 255 bytes. ERANGE if it is longer. */
    void setAlias(int index, String alias) throws LinuxNetException;

    /** Sets whether a link accepts frames to any hardware address (promiscuous mode). */
    void setPromiscuous(int index, boolean promiscuous) throws LinuxNetException;

    /**
     * Sets whether a bridge separates VLANs. EOPNOTSUPP if the link is no bridge, or the kernel has no VLAN filtering.
     */
    void setVlanFiltering(int index, boolean filtering) throws LinuxNetException;

    /** Sets whether a bridge passes bridged packets to iptables, see {@link BridgeSpec#netfilter}. */
    void setNetfilter(int index, boolean netfilter) throws LinuxNetException;

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

    /**
     * Adds VLANs to a bridge port. A VLAN that the port already has gets the new flags. EOPNOTSUPP if the link is no
     * port.
     */
    void addVlan(int index, PortVlan vlan) throws LinuxNetException;

    /**
     * Adds a tagged VLAN to a bridge's own end, for a VLAN link on the bridge. A VLAN that the bridge already has
     * becomes tagged. If that is VLAN 1 of a new bridge, its untagged frames lose their VLAN. EOPNOTSUPP if the link
     * is no bridge.
     */
    void addOwnVlan(int bridgeIndex, int id) throws LinuxNetException;

    /** Removes a VLAN from a bridge port. A missing one is no error. */
    void deleteVlan(int index, int id) throws LinuxNetException;

    /**
     * The VLANs of a bridge port or of a bridge's own end, sorted by ID, ranges expanded. Empty if the link is neither.
     */
    List<PortVlan> vlans(int index) throws LinuxNetException;

    /** All addresses of all links. */
    List<InterfaceAddress> addresses() throws LinuxNetException;

    /**
     * The IP addresses of all links, without their prefix lengths, in the order of {@link #addresses()}. An address
     * that several links have is there several times.
     */
    default List<IpAddress> hostAddresses() throws LinuxNetException {
        return addresses().stream().map(each -> each.address().address()).toList();
    }

    /** All addresses of a link; ENODEV if there is none of this index. */
    List<InterfaceAddress> addresses(int index) throws LinuxNetException;

    /**
     * Adds an address without duplicate address detection.
     *
     * @throws LinuxNetException EEXIST if the link has it (for IPv6 with any prefix length), ENODEV if there is no such
     *     link, EACCES if IPv6 is switched off there
     */
    default void addAddress(int index, Cidr address) throws LinuxNetException {
        addAddress(index, address, AddressOptions.DEFAULT);
    }

    /** Adds an address, as {@link #addAddress(int, Cidr)}, with these options. */
    void addAddress(int index, Cidr address, AddressOptions options) throws LinuxNetException;

    /**
     * Removes an address. The kernel removes the other IPv4 addresses of a network with its first one, unless
     * promote_secondaries is set. It removes all IPv4 routes of the link with its last IPv4 address.
     *
     * @throws LinuxNetException EADDRNOTAVAIL if the link does not have it
     */
    void deleteAddress(int index, Cidr address) throws LinuxNetException;

    /** The unicast routes of the main table. A route with several next hops is listed once per hop. */
    default List<Route> routes() throws LinuxNetException {
        return listedRoutes().stream().map(ListedRoute::route).toList();
    }

    /**
     * The unicast routes of the main table with their options. A route with several next hops is listed once per hop.
     */
    List<ListedRoute> listedRoutes() throws LinuxNetException;

    /**
     * Adds a route to the main table.
     *
     * @throws LinuxNetException EEXIST if there is one to the same destination; ENETUNREACH (IPv4) or EHOSTUNREACH
     *     (IPv6) if no link that is up leads to the gateway; ENODEV without gateway and link; ENETDOWN if the link is
     *     down; EINVAL if an IPv4 destination has host bits or the gateway is of the other family
     */
    void addRoute(Route route) throws LinuxNetException;

    /**
     * Adds a route that may coexist with others to the same destination. EEXIST if there is an equal one; the rest as
     * {@link #addRoute(Route)}.
     */
    void addRoute(Route route, RouteOptions options) throws LinuxNetException;

    /**
     * Adds a route. EEXIST if there is one to the same destination with the same priority; the rest as
     * {@link #addRoute(Route)}.
     */
    void addRouteIfAbsent(Route route, RouteOptions options) throws LinuxNetException;

    /** The route of the main table that a packet from here to this address takes; empty if there is none. */
    Optional<Route> routeTo(IpAddress destination) throws LinuxNetException;

    /** Adds a route to the main table or replaces the one to the same destination. */
    default void replaceRoute(Route route) throws LinuxNetException {
        replaceRoute(route, RouteOptions.DEFAULT);
    }

    /** Adds a route or replaces another program's route to the same destination with the same priority. */
    void replaceRoute(Route route, RouteOptions options) throws LinuxNetException;

    /** Removes a route. An absent gateway and a link index of 0 match any. ESRCH if there is none. */
    default void deleteRoute(Route route) throws LinuxNetException {
        deleteRoute(route, RouteOptions.DEFAULT);
    }

    /** Removes a route of this protocol and priority. An absent one matches any. Other options are ignored. */
    void deleteRoute(Route route, RouteOptions options) throws LinuxNetException;

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
