package dev.nodepath.agent.options;

import dev.nodepath.endpoints.NodePortAddresses;
import dev.nodepath.endpoints.sync.SyncPolicy;
import dev.nodepath.proxy.iptables.IptablesConfig;
import dev.nodepath.proxy.nftables.NftablesConfig;
import dev.nodepath.proxy.userspace.relay.RelayConfig;
import java.net.InetSocketAddress;
import java.util.Map;
import java.util.Optional;

/**
 * The settings of a proxy.
 *
 * @param node name of this node's Node
 * @param rules the options of iptables mode
 * @param tables the options of nftables mode
 * @param conntrackMax the minimum limit of tracked flows; 0 to leave it
 * @param conntrack other settings of the kernel's by path
 * @param configz the configuration in JSON
 */
public record ProxySettings(
        ProxyMode mode,
        String node,
        IptablesConfig rules,
        NftablesConfig tables,
        RelayConfig relay,
        SyncPolicy policy,
        boolean tcpReset,
        long conntrackMax,
        Map<String, String> conntrack,
        Optional<InetSocketAddress> healthz,
        Optional<InetSocketAddress> metrics,
        boolean bindHardFail,
        String configz) {

    /** The same with another relay. */
    public ProxySettings withRelay(RelayConfig other) {
        return new ProxySettings(
                mode,
                node,
                rules,
                tables,
                other,
                policy,
                tcpReset,
                conntrackMax,
                conntrack,
                healthz,
                metrics,
                bindHardFail,
                configz);
    }

    /** The addresses that serve node ports in this mode. */
    public NodePortAddresses nodePortAddresses() {
        return mode == ProxyMode.NFTABLES ? tables.nodePortAddresses() : rules.nodePortAddresses();
    }
}
