package dev.nodepath.policy.rules;

import dev.nodepath.linux.address.IpFamily;
import dev.nodepath.linux.nftables.NftChain;
import dev.nodepath.linux.nftables.NftDatatype;
import dev.nodepath.linux.nftables.NftFamily;
import dev.nodepath.linux.nftables.NftField;
import dev.nodepath.linux.nftables.NftRule;
import dev.nodepath.linux.nftables.NftSet;
import dev.nodepath.linux.nftables.NftStatement;
import dev.nodepath.linux.nftables.NftTable;
import dev.nodepath.linux.nftables.NftTableState;
import dev.nodepath.linux.nftables.NftVerdict;
import dev.nodepath.policy.object.Direction;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * The chains and sets that are there whatever policies there are. Each question has a base chain of its own: what the
 * policies of the source accept goes on to those of the destination.
 */
public final class PolicyFrame {
    /** Before the filters of proxies, whose counters then do not count what policies refuse. */
    private static final int PRIORITY_EGRESS = -11;

    private static final int PRIORITY_INGRESS = -10;
    private static final int ICMPV6 = 58;

    private final IpFamily family;
    private final NftTable table;
    private final SortedMap<String, NftTableState.Chain> chains = new TreeMap<>();
    private final SortedMap<String, NftTableState.Elements> sets = new TreeMap<>();

    private PolicyFrame(IpFamily family) {
        this.family = family;
        this.table = table(family);
    }

    /** The table of a family. */
    public static NftTable table(IpFamily family) {
        return new NftTable(NftFamily.of(family), "nodepath-policy");
    }

    static NftTableState of(IpFamily family) {
        return new PolicyFrame(family).state();
    }

    private NftTableState state() {
        base("forward-egress", "forward", PRIORITY_EGRESS, Direction.EGRESS);
        base("forward-ingress", "forward", PRIORITY_INGRESS, Direction.INGRESS);
        base("input-egress", "input", PRIORITY_EGRESS, Direction.EGRESS);
        NftDatatype address = NftField.SOURCE_ADDRESS.type(family);
        set(PolicyNames.SELF, List.of(address, address), List.of(), "each isolated pod with itself");
        for (Direction direction : Direction.values()) {
            set(
                    PolicyNames.subjects(direction),
                    List.of(address),
                    List.of(NftDatatype.VERDICT),
                    "pods of this node that policies isolate");
        }
        return new NftTableState(table, "NetworkPolicies", chains, sets);
    }

    private void base(String name, String hook, int priority, Direction direction) {
        NftField subject = direction == Direction.INGRESS ? NftField.DESTINATION_ADDRESS : NftField.SOURCE_ADDRESS;
        List<NftRule> rules = new ArrayList<>();
        rules.add(NftRule.of(new NftStatement.KnownConnection(), NftVerdict.ACCEPT));
        if (family == IpFamily.IPV6) {
            rules.add(new NftRule(
                    List.of(new NftStatement.Protocol(ICMPV6), new NftStatement.Untracked(), NftVerdict.ACCEPT),
                    "neighbour and listener discovery"));
        }
        rules.add(NftRule.of(new NftStatement.InSet(NftField.ADDRESSES, PolicyNames.SELF), NftVerdict.ACCEPT));
        rules.add(NftRule.of(new NftStatement.VerdictOf(List.of(subject), PolicyNames.subjects(direction))));
        NftChain chain = new NftChain(table, name, Optional.of(NftChain.Hook.of("filter", hook, priority)));
        chains.put(name, new NftTableState.Chain(chain, rules));
    }

    private void set(String name, List<NftDatatype> key, List<NftDatatype> data, String comment) {
        sets.put(name, new NftTableState.Elements(new NftSet(table, name, key, data, comment), Map.of()));
    }
}
