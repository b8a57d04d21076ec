package dev.nodepath.linux.link;

import dev.nodepath.linux.address.IpFamily;
import dev.nodepath.linux.address.MacAddress;
import java.util.Optional;
import java.util.Set;

/**
 * A network interface at the time of its reading.
 *
 * @param index in its namespace
 * @param name in its namespace
 * @param kind the kernel's word, such as {@code bridge} or {@code veth}; empty for loopback and hardware
 * @param mac its hardware address; empty where the link has none of 6 bytes
 * @param mtu in bytes
 * @param up whether it is administratively up
 * @param running whether it is operationally up ({@code IF_OPER_UP})
 * @param masterIndex of the bridge it is a port of; 0 if none
 * @param peerIndex {@code IFLA_LINK}: the other end of a veth pair, in its namespace; or the lower link, in the same
 *     namespace, of a VLAN, macvlan or ipvlan link; 0 if none
 * @param alias a free text ({@code ip link set alias}); empty if none
 * @param promiscuous whether it is set to accept frames to any hardware address
 * @param hairpin whether, as a bridge port, it may send a frame back out of itself
 * @param isolated whether, as a bridge port, it exchanges no frames with other isolated ports
 * @param vlanFiltering whether, as a bridge, it separates VLANs
 * @param netfilter the families of bridged packets that it passes to netfilter, as a bridge, by settings of its own
 * @param vxlan the settings of a VXLAN link that has a local address; empty for other links
 */
public record Link(
        int index,
        String name,
        String kind,
        Optional<MacAddress> mac,
        int mtu,
        boolean up,
        boolean running,
        int masterIndex,
        int peerIndex,
        String alias,
        boolean promiscuous,
        boolean hairpin,
        boolean isolated,
        boolean vlanFiltering,
        Set<IpFamily> netfilter,
        Optional<Vxlan> vxlan) {
    /** Whether it is a bridge that passes packets of all families to netfilter by settings of its own. */
    public boolean hasNetfilter() {
        return netfilter.size() == IpFamily.values().length;
    }
}
