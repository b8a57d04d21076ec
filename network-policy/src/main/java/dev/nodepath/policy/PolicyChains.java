package dev.nodepath.policy;

import dev.nodepath.linux.address.AddressRange;
import dev.nodepath.linux.address.Cidr;
import dev.nodepath.linux.address.IpFamily;
import dev.nodepath.linux.nftables.NftChain;
import dev.nodepath.linux.nftables.NftDatatype;
import dev.nodepath.linux.nftables.NftField;
import dev.nodepath.linux.nftables.NftRule;
import dev.nodepath.linux.nftables.NftSet;
import dev.nodepath.linux.nftables.NftStatement;
import dev.nodepath.linux.nftables.NftTable;
import dev.nodepath.linux.nftables.NftTableState;
import dev.nodepath.linux.nftables.NftVerdict;
import dev.nodepath.linux.nftables.TableGroup;
import dev.nodepath.policy.object.BlockPeer;
import dev.nodepath.policy.object.ClusterNetworkPolicy;
import dev.nodepath.policy.object.ClusterRule;
import dev.nodepath.policy.object.Direction;
import dev.nodepath.policy.object.NetworkPolicy;
import dev.nodepath.policy.object.NodePeer;
import dev.nodepath.policy.object.Peer;
import dev.nodepath.policy.object.PodPeer;
import dev.nodepath.policy.object.PolicyPort;
import dev.nodepath.policy.object.PolicyRule;
import dev.nodepath.policy.object.Tier;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;

/** The chains of one policy, and the sets that they look up. Pods and Nodes fill the sets. */
final class PolicyChains {
    private static final List<NftField> PORT = List.of(NftField.DESTINATION_ADDRESS, NftField.DESTINATION_PORT);

    /** The longest comment of {@code nft}. */
    private static final int COMMENT_MAX = 127;

    private static final String CUT = "...";

    /** The letters of a rule's name in a comment that every tool can read back. */
    private static final Pattern PLAIN = Pattern.compile("[ !#-\\[\\]-~]{1,100}");

    private final IpFamily family;
    private final NftTable table;
    private final List<NftTableState.Chain> chains = new ArrayList<>();
    private final Set<NftSet> sets = new LinkedHashSet<>();

    private PolicyChains(IpFamily family) {
        this.family = family;
        this.table = PolicyFrame.table(family);
    }

    static TableGroup of(NetworkPolicy policy, IpFamily family) {
        PolicyChains added = new PolicyChains(family);
        for (Direction direction : Direction.values()) {
            policy.rules(direction).ifPresent(rules -> added.add(policy, direction, rules));
        }
        return added.group();
    }

    static TableGroup of(ClusterNetworkPolicy policy, IpFamily family) {
        PolicyChains added = new PolicyChains(family);
        for (Direction direction : Direction.values()) {
            if (!policy.rules(direction).isEmpty()) {
                added.add(policy, direction);
            }
        }
        return added.group();
    }

    /**
     * Chains without rules and sets, so that a packet goes on to the drop of the class. A ClusterNetworkPolicy with a
     * rule that denies or passes denies everything.
     */
    static TableGroup whenRefused(TableGroup group) {
        List<NftTableState.Chain> closed = new ArrayList<>();
        for (NftTableState.Chain chain : group.chains()) {
            for (Direction direction : Direction.values()) {
                if (PolicyNames.isOfPolicy(chain.chain().name(), direction)) {
                    NftStatement drop = NftVerdict.to(PolicyNames.drop(direction));
                    boolean denies = chain.rules().stream()
                            .flatMap(rule -> rule.statements().stream())
                            .anyMatch(each -> each.equals(drop) || each instanceof NftStatement.VerdictOf);
                    List<NftRule> rules = denies ? List.of(NftRule.of(drop)) : List.of();
                    closed.add(new NftTableState.Chain(chain.chain(), rules));
                }
            }
        }
        return new TableGroup(closed, List.of(), List.of());
    }

    private TableGroup group() {
        return new TableGroup(chains, List.copyOf(sets), List.of());
    }

    private void add(NetworkPolicy policy, Direction direction, List<PolicyRule> rules) {
        String chain = PolicyNames.policy(direction, policy.name());
        List<NftRule> written = new ArrayList<>();
        for (PolicyRule rule : rules) {
            written.addAll(rules(direction, rule, List.of(NftVerdict.ACCEPT), comment(rule.number(), "")));
        }
        add(chain, written);
    }

    private void add(ClusterNetworkPolicy policy, Direction direction) {
        if (policy.tier() == Tier.ADMIN) {
            sets.add(new NftSet(
                    table,
                    PolicyNames.passed(direction),
                    List.of(NftField.SOURCE_ADDRESS.type(family)),
                    List.of(NftDatatype.VERDICT),
                    "what follows the tier Admin"));
        }
        String chain = PolicyNames.clusterPolicy(direction, policy.name());
        List<NftRule> written = new ArrayList<>();
        for (ClusterRule rule : policy.rules(direction)) {
            written.addAll(rules(
                    direction,
                    rule.matches(),
                    verdict(policy.tier(), direction, rule.action()),
                    comment(rule.matches().number(), rule.name())));
        }
        add(chain, written);
    }

    /** A connection that the last tier passes on is not refused. */
    private static List<NftStatement> verdict(Tier tier, Direction direction, ClusterRule.Action action) {
        return switch (action) {
            case ACCEPT -> List.of(NftVerdict.ACCEPT);
            case DENY -> List.of(NftVerdict.to(PolicyNames.drop(direction)));
            case PASS ->
                tier == Tier.BASELINE
                        ? List.of(NftVerdict.ACCEPT)
                        : List.of(new NftStatement.VerdictOf(
                                List.of(PolicyFrame.subject(direction)), PolicyNames.passed(direction)));
        };
    }

    /**
     * The comment of a policy's rule.
     *
     * @param name empty if it has none
     */
    static String comment(int number, String name) {
        String words = "rule " + number;
        return PLAIN.matcher(name).matches() ? words + ": " + name : words;
    }

    private void add(String name, List<NftRule> rules) {
        chains.add(new NftTableState.Chain(new NftChain(table, name, Optional.empty()), rules));
    }

    /** A rule for each peer with each port. */
    private List<NftRule> rules(Direction direction, PolicyRule rule, List<NftStatement> verdict, String comment) {
        List<List<NftStatement>> ports = ports(rule);
        List<NftRule> rules = new ArrayList<>();
        for (List<NftStatement> peer : peers(direction, rule)) {
            for (List<NftStatement> port : ports) {
                List<NftStatement> statements = new ArrayList<>(peer);
                statements.addAll(port);
                statements.addAll(verdict);
                rules.add(new NftRule(statements, comment));
            }
        }
        return rules;
    }

    /** The match of each peer. All networks together are one match. */
    private List<List<NftStatement>> peers(Direction direction, PolicyRule rule) {
        if (rule.peers().isEmpty()) {
            return List.of(List.of());
        }
        NftField other = direction == Direction.INGRESS ? NftField.SOURCE_ADDRESS : NftField.DESTINATION_ADDRESS;
        List<List<NftStatement>> matches = new ArrayList<>();
        List<AddressRange> networks = new ArrayList<>();
        for (Peer peer : rule.peers()) {
            if (peer instanceof PodPeer pods) {
                matches.add(List.of(inSet(other, PolicyNames.peer(pods), pods)));
            } else if (peer instanceof NodePeer nodes) {
                matches.add(List.of(inSet(other, PolicyNames.peer(nodes), nodes)));
            } else if (peer instanceof BlockPeer block && block.network().family() == family) {
                networks.addAll(block.counted());
            }
        }
        if (!networks.isEmpty()) {
            matches.add(List.of(inNetworks(other, AddressRange.merged(networks))));
        }
        return matches;
    }

    /** Several networks become a set, which other rules with the same networks share. */
    private NftStatement inNetworks(NftField other, List<AddressRange> ranges) {
        List<Cidr> first = ranges.get(0).networks();
        if (ranges.size() == 1 && first.size() == 1) {
            return new NftStatement.AddressIn(other, first, false);
        }
        String name = PolicyNames.networks(ranges);
        sets.add(NftSet.ofRanges(table, name, other.type(family), ranges));
        return new NftStatement.InSet(List.of(other), name);
    }

    private NftStatement inSet(NftField other, String name, Peer chosen) {
        sets.add(new NftSet(table, name, List.of(other.type(family)), List.of(), comment(chosen)));
        return new NftStatement.InSet(List.of(other), name);
    }

    private static String comment(Peer chosen) {
        String words = chosen.toString();
        return words.length() <= COMMENT_MAX ? words : words.substring(0, COMMENT_MAX - CUT.length()) + CUT;
    }

    private List<List<NftStatement>> ports(PolicyRule rule) {
        return rule.ports().isEmpty()
                ? List.of(List.of())
                : rule.ports().stream().map(this::port).toList();
    }

    private List<NftStatement> port(PolicyPort port) {
        int protocol = port.protocol().number();
        if (port.isNamed()) {
            String name = PolicyNames.port(port);
            NftDatatype address = NftField.DESTINATION_ADDRESS.type(family);
            sets.add(new NftSet(table, name, List.of(address, NftDatatype.INET_SERVICE), List.of(), ""));
            return List.of(new NftStatement.Protocol(protocol), new NftStatement.InSet(PORT, name));
        } else if (port.isAll()) {
            return List.of(new NftStatement.Protocol(protocol));
        } else if (port.first() == port.last()) {
            return List.of(new NftStatement.DestinationPort(protocol, port.first()));
        }
        return List.of(new NftStatement.DestinationPorts(protocol, port.first(), port.last()));
    }
}
