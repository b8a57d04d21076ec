package dev.nodepath.cni.config;

import dev.nodepath.cni.protocol.CniVersion;
import dev.nodepath.cni.protocol.Dns;
import dev.nodepath.linux.address.IpFamily;
import dev.nodepath.linux.link.PortVlan;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * One plugin's part of a network configuration, checked: CNI specification 1.1.0 section "Plugin configuration
 * objects", and the options of upstream's bridge plugin.
 *
 * @param version the CNI version of the answers
 * @param name of the network
 * @param bridge the options that all containers of the network share
 * @param port the options of each container's port
 * @param ipamType the plugin that manages addresses; empty for a network of links without addresses
 * @param dns replaces the name resolution of address management in the result, if it is not empty
 * @param policyMark a file of the node: while it is there, a container waits for an agent. The option is this plugin's
 *     own
 */
public record NetworkConfig(
        CniVersion version,
        String name,
        BridgeConfig bridge,
        PortConfig port,
        Optional<String> ipamType,
        Optional<Dns> dns,
        Optional<Path> policyMark) {

    /**
     * The bridge.
     *
     * @param isGateway whether the bridge gets the gateway's addresses and the node forwards
     * @param isDefaultGateway whether containers get a default route to it; implies {@code isGateway}
     * @param forceAddress whether the gateway's address replaces another address of the bridge
     * @param masquerade the traffic out of the network that is masqueraded
     * @param promiscuous whether the bridge takes every frame ({@code promiscMode})
     * @param mtu in bytes; empty for the MTU of the node's default route
     * @param netfilter whether bridged packets pass iptables, as Services between containers of one bridge need ({@code
     *     bridgeNetfilter}, an option of this plugin). If false, the node's {@code bridge-nf-call-iptables} decides.
     * @param prune whether the bridge is removed with its last container, if this plugin made it
     */
    public record BridgeConfig(
            String name,
            boolean isGateway,
            boolean isDefaultGateway,
            boolean forceAddress,
            MasqueradeConfig masquerade,
            boolean promiscuous,
            Optional<Integer> mtu,
            boolean netfilter,
            boolean prune) {
        /** A bridge with the values that a DEL needs. */
        static BridgeConfig of(String name, boolean prune) {
            return new BridgeConfig(
                    name, false, false, false, MasqueradeConfig.NONE, false, Optional.empty(), false, prune);
        }
    }

    /**
     * The packets out of the network that are masqueraded.
     *
     * @param ipv4 whether IPv4 packets are ({@code ipMasq})
     * @param ipv6 whether IPv6 packets are ({@code ip6Masq}, by default {@code ipMasq})
     * @param withinSubnet whether packets to the container's own subnet are masqueraded too ({@code
     *     ipMasqWithinSubnet})
     */
    public record MasqueradeConfig(boolean ipv4, boolean ipv6, boolean withinSubnet) {
        public static final MasqueradeConfig NONE = new MasqueradeConfig(false, false, false);

        /** Whether addresses of a family are masqueraded. */
        public boolean isFor(IpFamily family) {
            return family == IpFamily.IPV4 ? ipv4 : ipv6;
        }
    }

    /**
     * A container's port of the bridge.
     *
     * @param hairpin whether a container can reach itself over the bridge, as through a Service ({@code hairpinMode})
     * @param isolated whether it cannot reach other isolated ports ({@code portIsolation})
     * @param macCheck whether frames with another source than the container's MAC are dropped ({@code macspoofchk})
     * @param addressCheck whether frames with another source than its MAC and its addresses are dropped, and so are
     *     frames with a VLAN tag ({@code ipspoofchk}, an option of this plugin)
     * @param duplicateDetection whether a new IPv6 address is first looked for on other hosts ({@code enabledad})
     * @param containerDown whether the container's end stays down ({@code disableContainerInterface})
     * @param vlans which VLANs the port is in
     */
    public record PortConfig(
            boolean hairpin,
            boolean isolated,
            boolean macCheck,
            boolean addressCheck,
            boolean duplicateDetection,
            boolean containerDown,
            VlanConfig vlans) {
        /** A port without any option. */
        static final PortConfig PLAIN =
                new PortConfig(false, false, false, false, false, false, new VlanConfig(0, List.of(), false));

        /** Whether sources of frames are checked at all. */
        public boolean checksSources() {
            return macCheck || addressCheck;
        }
    }

    /**
     * VLANs of a port.
     *
     * @param access the VLAN of the port's untagged frames; 0 for none ({@code vlan})
     * @param trunk the VLANs of its tagged frames, without overlaps ({@code vlanTrunk})
     * @param keepDefault whether it also stays in VLAN 1 ({@code preserveDefaultVlan})
     */
    public record VlanConfig(int access, List<PortVlan> trunk, boolean keepDefault) {
        /** The kernel's default VLAN of untagged frames of a new port. */
        public static final int DEFAULT = 1;

        public VlanConfig {
            trunk = List.copyOf(trunk);
        }

        /** Whether the bridge needs VLAN filtering. */
        public boolean isUsed() {
            return access != 0 || !trunk.isEmpty();
        }

        /** A copy without the trunk, for the node's own port in the container's VLAN. */
        public VlanConfig withoutTrunk() {
            return new VlanConfig(access, List.of(), keepDefault);
        }

        /**
         * All VLANs of the port. The first is the VLAN of untagged frames: {@code vlan}, or 1. It stays untagged if the
         * trunk lists it too.
         */
        public List<PortVlan> ofPort() {
            int untagged = access == 0 ? DEFAULT : access;
            List<PortVlan> vlans = new ArrayList<>();
            vlans.add(PortVlan.access(untagged));
            if (keepDefault && untagged != DEFAULT && trunk.stream().noneMatch(range -> range.first() == DEFAULT)) {
                vlans.add(new PortVlan(DEFAULT, DEFAULT, false, true));
            }
            for (PortVlan range : trunk) {
                boolean listed = range.first() <= untagged && untagged <= range.last();
                addRange(vlans, range.first(), listed ? untagged - 1 : range.last());
                addRange(vlans, listed ? untagged + 1 : range.last() + 1, range.last());
            }
            return vlans;
        }

        private static void addRange(List<PortVlan> vlans, int first, int last) {
            if (first <= last) {
                vlans.add(new PortVlan(first, last, false, false));
            }
        }
    }
}
