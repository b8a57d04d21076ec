package dev.nodepath.proxy.iptables;

import dev.nodepath.endpoints.NodePortAddresses;
import dev.nodepath.endpoints.sync.RuleConfig;
import java.util.function.Consumer;

/**
 * The options that shape the rules. They have the names of kube-proxy's options.
 *
 * @param common the options that other modes have too
 * @param localhostNodePorts whether node ports are served on 127.0.0.0/8 too
 * @param randomFully whether masquerading picks source ports at random ({@code --random-fully}, iptables 1.6.2)
 * @param dropInvalid whether forwarded packets that conntrack finds invalid are dropped; kube-proxy does unless {@code
 *     nf_conntrack_tcp_be_liberal} is set
 * @param counters whether rules use the counters of {@link CountedPackets}. They must exist in the namespace then.
 */
public record IptablesConfig(
        RuleConfig common, boolean localhostNodePorts, boolean randomFully, boolean dropInvalid, boolean counters) {

    /** The defaults of kube-proxy. */
    public static final IptablesConfig DEFAULTS =
            new IptablesConfig(RuleConfig.defaults(NodePortAddresses.ALL), true, true, true, false);

    /** The same with a change. */
    public IptablesConfig with(Consumer<Draft> change) {
        Draft draft = new Draft(this);
        change.accept(draft);
        return draft.build();
    }

    /** A configuration that is changed. */
    public static final class Draft extends RuleConfig.Draft {
        public boolean localhostNodePorts;
        public boolean randomFully;
        public boolean dropInvalid;
        public boolean counters;

        /** Begins with these values. */
        public Draft(IptablesConfig config) {
            super(config.common);
            localhostNodePorts = config.localhostNodePorts;
            randomFully = config.randomFully;
            dropInvalid = config.dropInvalid;
            counters = config.counters;
        }

        /** The configuration with the values as they are now. */
        public IptablesConfig build() {
            return new IptablesConfig(common(), localhostNodePorts, randomFully, dropInvalid, counters);
        }
    }
}
