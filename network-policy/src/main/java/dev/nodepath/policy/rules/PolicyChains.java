package dev.nodepath.policy.rules;

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
import dev.nodepath.linux.nftables.apply.TableGroup;
import dev.nodepath.policy.object.BlockPeer;
import dev.nodepath.policy.object.Direction;
import dev.nodepath.policy.object.NetworkPolicy;
import dev.nodepath.policy.object.Peer;
import dev.nodepath.policy.object.PodPeer;
import dev.nodepath.policy.object.PolicyPort;
import dev.nodepath.policy.object.PolicyRule;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The chains of one policy, and the sets that they ask. Pods fill the sets. */
final class PolicyChains {
    private static final Logger LOG = LoggerFactory.getLogger(PolicyChains.class);
    private static final List<NftField> PORT = List.of(NftField.DESTINATION_ADDRESS, NftField.DESTINATION_PORT);

    /** {@code nft} takes no longer comment. */
    private static final int COMMENT_MAX = 127;

    private static final String CUT = "...";

    /** Each peer with each port is a rule. */
    private static final int RULES_MAX = 4096;

    private final NetworkPolicy policy;
    private final IpFamily family;
    private final NftTable table;
    private final Set<NftSet> sets = new LinkedHashSet<>();

    private PolicyChains(NetworkPolicy policy, IpFamily family) {
        this.policy = policy;
        this.family = family;
        this.table = PolicyFrame.table(family);
    }

    static TableGroup of(NetworkPolicy policy, IpFamily family) {
        return new PolicyChains(policy, family).group();
    }

    private TableGroup group() {
        List<NftTableState.Chain> chains = new ArrayList<>();
        for (Direction direction : Direction.values()) {
            policy.rules(direction).ifPresent(rules -> chains.add(chain(direction, rules)));
        }
        return new TableGroup(chains, List.copyOf(sets), List.of());
    }

    private NftTableState.Chain chain(Direction direction, List<PolicyRule> rules) {
        List<NftRule> written = new ArrayList<>();
        long count = rules.stream()
                .mapToLong(rule -> Math.max(1L, rule.peers().size())
                        * Math.max(1L, rule.ports().size()))
                .sum();
        if (count > RULES_MAX) {
            // The pods stay isolated.
            LOG.atWarn()
                    .addKeyValue("policy", policy.name())
                    .addKeyValue("direction", direction)
                    .addKeyValue("rules", count)
                    .addKeyValue("expected", "at most " + RULES_MAX + ", peers times ports")
                    .log("policy.too_large");
        }
        for (PolicyRule rule : count > RULES_MAX ? List.<PolicyRule>of() : rules) {
            for (List<NftStatement> peer : peers(direction, rule)) {
                for (List<NftStatement> port : ports(rule)) {
                    List<NftStatement> statements = new ArrayList<>(peer);
                    statements.addAll(port);
                    statements.add(NftVerdict.ACCEPT);
                    written.add(new NftRule(statements, "rule " + rule.number()));
                }
            }
        }
        return new NftTableState.Chain(
                new NftChain(table, PolicyNames.policy(direction, policy.name()), Optional.empty()), written);
    }

    /** The matches of each peer. Networks without exceptions share one. */
    private List<List<NftStatement>> peers(Direction direction, PolicyRule rule) {
        if (rule.peers().isEmpty()) {
            return List.of(List.of());
        }
        NftField other = direction == Direction.INGRESS ? NftField.SOURCE_ADDRESS : NftField.DESTINATION_ADDRESS;
        List<List<NftStatement>> matches = new ArrayList<>();
        List<Cidr> whole = new ArrayList<>();
        for (Peer peer : rule.peers()) {
            if (peer instanceof PodPeer pods) {
                sets.add(new NftSet(
                        table, PolicyNames.peer(pods), List.of(other.type(family)), List.of(), comment(pods)));
                matches.add(List.of(new NftStatement.InSet(List.of(other), PolicyNames.peer(pods))));
            } else if (peer instanceof BlockPeer block && block.network().family() == family) {
                if (block.excepts().isEmpty()) {
                    whole.add(block.network());
                } else {
                    matches.add(List.of(
                            new NftStatement.AddressIn(other, List.of(block.network()), false),
                            new NftStatement.AddressIn(other, block.excepts(), true)));
                }
            }
        }
        if (!whole.isEmpty()) {
            matches.add(List.of(new NftStatement.AddressIn(other, whole, false)));
        }
        return matches;
    }

    private static String comment(PodPeer pods) {
        String words = pods.toString();
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
