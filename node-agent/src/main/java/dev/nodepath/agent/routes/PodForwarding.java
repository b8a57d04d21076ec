package dev.nodepath.agent.routes;

import dev.nodepath.linux.address.Cidr;
import dev.nodepath.linux.address.IpFamily;
import dev.nodepath.linux.iptables.ChainKeeper;
import dev.nodepath.linux.iptables.Hook;
import dev.nodepath.linux.iptables.Iptables;
import dev.nodepath.linux.iptables.IptablesException;
import dev.nodepath.linux.iptables.Match;
import dev.nodepath.linux.iptables.Rule;
import dev.nodepath.linux.iptables.Table;
import dev.nodepath.linux.iptables.Target;
import java.util.ArrayList;
import java.util.List;

/**
 * Accepts traffic of this node's pods in the host's FORWARD chain, whose policy may be DROP because of Docker Engine
 * or ufw. The rules must be in the table of that policy, because a table can drop packets that another table accepts.
 * The jump is the last rule, so that it replaces only the policy and comes after all other rules.
 */
public final class PodForwarding {
    /** Our chain. */
    public static final String CHAIN = "NODEPATH-FORWARD";

    private static final Hook HOOK = new Hook(
            Table.FILTER,
            "FORWARD",
            Hook.Position.LAST,
            Rule.of(new Target.Jump(CHAIN), new Match.Comment("nodepath pods")));

    private final IpFamily family;
    private final ChainKeeper keeper;

    /** The forwarding of one family. */
    public PodForwarding(Iptables iptables) {
        this.family = iptables.family();
        this.keeper = new ChainKeeper(iptables, HOOK);
    }

    /** The rules that match the pods' packets. */
    public IpFamily family() {
        return family;
    }

    /**
     * Adds or repairs the rules.
     *
     * @param podCidrs this node's podCIDRs, of any family
     * @return whether it changed anything
     */
    public boolean ensure(List<Cidr> podCidrs) throws IptablesException {
        List<Rule> rules = new ArrayList<>();
        for (Cidr podCidr : podCidrs) {
            if (podCidr.family() == family) {
                rules.add(Rule.of(Target.Verdict.ACCEPT, new Match.Source(podCidr.network(), false)));
                rules.add(Rule.of(Target.Verdict.ACCEPT, new Match.Destination(podCidr.network(), false)));
            }
        }
        return keeper.ensure(rules);
    }

    /** Removes the rules, if there are any. */
    public void remove() throws IptablesException {
        keeper.remove();
    }
}
