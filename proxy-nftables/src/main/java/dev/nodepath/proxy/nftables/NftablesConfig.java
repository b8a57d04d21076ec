package dev.nodepath.proxy.nftables;

import dev.nodepath.endpoints.NodePortAddresses;
import dev.nodepath.endpoints.sync.RuleConfig;
import java.util.function.Consumer;

/**
 * The options that shape the rules. They have the names of kube-proxy's options.
 *
 * @param common the options that other modes have too
 * @param singleEndpoint the rule of a service port with one endpoint
 * @param countsConnections whether each endpoint has a chain that counts its connections; kube-proxy's rules have none
 */
public record NftablesConfig(RuleConfig common, SingleEndpoint singleEndpoint, boolean countsConnections) {
    /** The defaults of kube-proxy 1.36. */
    public static final NftablesConfig DEFAULTS =
            new NftablesConfig(RuleConfig.defaults(NodePortAddresses.PRIMARY), SingleEndpoint.AUTO, false);

    /** A copy with a change. */
    public NftablesConfig with(Consumer<Draft> change) {
        Draft draft = new Draft(this);
        change.accept(draft);
        return draft.build();
    }

    /** A configuration that is changed. */
    public static final class Draft extends RuleConfig.Draft {
        public SingleEndpoint singleEndpoint;
        public boolean countsConnections;

        /** Begins with these values. */
        public Draft(NftablesConfig config) {
            super(config.common);
            singleEndpoint = config.singleEndpoint;
            countsConnections = config.countsConnections;
        }

        /** The configuration with the values as they are now. */
        public NftablesConfig build() {
            return new NftablesConfig(common(), singleEndpoint, countsConnections);
        }
    }
}
