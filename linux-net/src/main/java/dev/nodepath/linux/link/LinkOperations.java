package dev.nodepath.linux.link;

import dev.nodepath.linux.address.Cidr;
import dev.nodepath.linux.address.IpAddress;
import dev.nodepath.linux.address.MacAddress;
import dev.nodepath.linux.syscall.LinuxNetException;
import java.util.Collection;
import java.util.List;
import java.util.Optional;

/**
 * Reads and changes the links of a network namespace, their VLANs and addresses. A link is identified by its interface
 * index there. An unknown index is ENODEV.
 */
public interface LinkOperations {
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
}
