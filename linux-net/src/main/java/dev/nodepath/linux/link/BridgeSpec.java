package dev.nodepath.linux.link;

import dev.nodepath.linux.address.MacAddress;
import java.util.Optional;

/**
 * A bridge to be made.
 *
 * @param name 1 to 15 characters
 * @param mac its own address for good; empty leaves it to the kernel, and then it follows its ports
 * @param mtu in bytes, 68 to 65535; empty leaves the kernel's default of 1500. With its first port a bridge takes the
 *     smallest MTU of its ports, and 1500 again after the last one has left, until {@code setMtu} changes it
 * @param netfilter whether bridged IP packets pass iptables ({@code IFLA_BR_NF_CALL_IPTABLES} and its IPv6 twin): a
 *     Service needs it to translate replies back if client and backend are on one bridge. Without br_netfilter the
 *     kernel would ignore it, so it is then refused with EOPNOTSUPP
 * @param vlanFiltering whether it keeps VLANs apart, see {@link LinkOperations#setVlanFiltering}
 */
public record BridgeSpec(
        String name, Optional<MacAddress> mac, Optional<Integer> mtu, boolean netfilter, boolean vlanFiltering) {

    /** A bridge that knows nothing of VLANs. */
    public BridgeSpec(String name, Optional<MacAddress> mac, Optional<Integer> mtu, boolean netfilter) {
        this(name, mac, mtu, netfilter, false);
    }
}
