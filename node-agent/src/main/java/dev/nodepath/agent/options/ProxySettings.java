package dev.nodepath.agent.options;

import dev.nodepath.endpoints.sync.RuleConfig;
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
 * @param rules the options of iptables mode, to which userspace mode hands over
 * @param tables the options of nftables mode
 * @param kernel settings of the kernel's connection tracking by path
 * @param configz the configuration in JSON
 */
public record ProxySettings(
        ProxyMode mode,
        IptablesConfig rules,
        NftablesConfig tables,
        RelayConfig relay,
        SyncPolicy policy,
        boolean tcpReset,
        Map<String, String> kernel,
        Optional<InetSocketAddress> healthz,
        Optional<InetSocketAddress> metrics,
        boolean bindHardFail,
        String configz) {

    /** The same with another relay. */
    public ProxySettings withRelay(RelayConfig other) {
        return new ProxySettings(
                mode, rules, tables, other, policy, tcpReset, kernel, healthz, metrics, bindHardFail, configz);
    }

    /** The options of this mode that all modes have. */
    public RuleConfig common() {
        return mode == ProxyMode.NFTABLES ? tables.common() : rules.common();
    }

    /** The name of this node's Node. */
    public String node() {
        return common().nodeName();
    }
}
