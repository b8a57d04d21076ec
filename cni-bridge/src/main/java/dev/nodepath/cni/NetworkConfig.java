package dev.nodepath.cni;

import dev.nodepath.cni.ipam.IpamConfig;
import java.util.Optional;

/**
 * One plugin's part of a network configuration, checked: CNI specification 1.1.0 section "Plugin configuration objects", and
 * the options of upstream's bridge plugin.
 *
 * @param version in which the runtime wants its answers
 * @param name of the network
 * @param bridge name of the link that containers are ports of
 * @param isGateway whether the bridge gets the gateway's addresses and the node forwards
 * @param isDefaultGateway whether containers get a default route to it; implies {@code isGateway}
 * @param hairpinMode whether a container can reach itself over the bridge, as through a Service
 * @param mtu in bytes; empty leaves it to the kernel
 * @param ipam empty for a network of links without addresses
 * @param dns repeated in the result
 */
public record NetworkConfig(
        CniVersion version,
        String name,
        String bridge,
        boolean isGateway,
        boolean isDefaultGateway,
        boolean hairpinMode,
        Optional<Integer> mtu,
        Optional<IpamConfig> ipam,
        Dns dns) {}
