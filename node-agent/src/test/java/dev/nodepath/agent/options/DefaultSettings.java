package dev.nodepath.agent.options;

import dev.nodepath.endpoints.sync.SyncPolicy;
import dev.nodepath.proxy.iptables.IptablesConfig;
import dev.nodepath.proxy.nftables.NftablesConfig;
import dev.nodepath.proxy.userspace.relay.RelayConfig;
import java.util.Map;
import java.util.Optional;

/** A proxy in iptables mode as it is without options, on node {@code n1} and without ports of its own. */
public final class DefaultSettings {
    /** Its settings. */
    public static final ProxySettings IPTABLES = new ProxySettings(
            ProxyMode.IPTABLES,
            IptablesConfig.DEFAULTS.with(draft -> draft.nodeName = "n1"),
            NftablesConfig.DEFAULTS,
            RelayConfig.DEFAULTS,
            SyncPolicy.DEFAULT,
            false,
            Map.of(),
            Optional.empty(),
            Optional.empty(),
            false,
            "{}");

    private DefaultSettings() {}
}
