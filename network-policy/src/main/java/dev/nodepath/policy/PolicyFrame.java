package dev.nodepath.policy;

import dev.nodepath.linux.address.Cidr;
import dev.nodepath.linux.address.IpAddress;
import dev.nodepath.linux.address.IpFamily;
import dev.nodepath.linux.nftables.NftChain;
import dev.nodepath.linux.nftables.NftDatatype;
import dev.nodepath.linux.nftables.NftElement;
import dev.nodepath.linux.nftables.NftFamily;
import dev.nodepath.linux.nftables.NftField;
import dev.nodepath.linux.nftables.NftRule;
import dev.nodepath.linux.nftables.NftSet;
import dev.nodepath.linux.nftables.NftStatement;
import dev.nodepath.linux.nftables.NftTable;
import dev.nodepath.linux.nftables.NftTableState;
import dev.nodepath.linux.nftables.NftVerdict;
import dev.nodepath.linux.nftables.TableGroup;
import dev.nodepath.policy.object.Direction;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Collectors;

/**
 * The permanent chains and sets, whatever the policies. Each question has its own base chain: a packet that the
 * source's policies accept goes on to the destination's.
 */
public final class PolicyFrame {
    /** Before the filters of proxies, whose counters therefore do not count refused packets. */
    private static final int PRIORITY_EGRESS = -11;

    private static final int PRIORITY_INGRESS = -10;
    private static final int ICMPV6 = 58;

    /** Before the questions: their maps do not have link-local addresses. */
    private static final int PRIORITY_ON_LINK = -12;

    private static final Cidr LINK_LOCAL = Cidr.parse("fe80::/10");
    private static final List<Cidr> ON_LINK_IPV4 = List.of(Cidr.parse("224.0.0.0/4"), Cidr.parse("255.255.255.255/32"));
    private static final List<Cidr> ON_LINK_IPV6 = List.of(LINK_LOCAL, Cidr.parse("ff00::/8"));

    private final PolicyNode node;
    private final IpFamily family;
    private final NftTable table;
    private final SortedMap<String, NftTableState.Chain> chains = new TreeMap<>();
    private final SortedMap<String, NftTableState.Elements> sets = new TreeMap<>();

    private PolicyFrame(PolicyNode node, IpFamily family) {
        this.node = node;
        this.family = family;
        this.table = table(family);
    }

    /** Whether a chain has rules of a ClusterNetworkPolicy. */
    public static boolean isOfClusterPolicy(String chain) {
        return chain.startsWith(PolicyNames.CLUSTER);
    }

    /** The table of a family. */
    public static NftTable table(IpFamily family) {
        return new NftTable(NftFamily.of(family), "nodepath-policy");
    }

    /** The chain that counts the packets refused by the policies of a direction. */
    public static NftChain drop(IpFamily family, Direction direction) {
        return new NftChain(table(family), PolicyNames.drop(direction), Optional.empty());
    }

    static NftTableState of(PolicyNode node, IpFamily family) {
        return new PolicyFrame(node, family).state();
    }

    /**
     * The chains that exist while pods of the node are isolated. Pods of one bridge also reach each other by addresses
     * unknown to the API: link-local ones, multicast and broadcast. They reach their node in the same way. Even a pod
     * without addresses of the family has link-local ones.
     */
    static List<NftTableState.Chain> onLink(PolicyNode node, IpFamily family, Set<Direction> isolated) {
        PolicyFrame frame = new PolicyFrame(node, family);
        NftStatement fromLinkLocal = new NftStatement.AddressIn(NftField.SOURCE_ADDRESS, List.of(LINK_LOCAL), false);
        List<NftTableState.Chain> chains = new ArrayList<>();
        if (family == IpFamily.IPV4) {
            chains.add(frame.onLink(
                    "forward",
                    new NftStatement.AddressIn(NftField.DESTINATION_ADDRESS, ON_LINK_IPV4, false),
                    new NftStatement.DestinationBroadcast()));
        } else {
            chains.add(frame.onLink(
                    "forward",
                    fromLinkLocal,
                    new NftStatement.AddressIn(NftField.DESTINATION_ADDRESS, ON_LINK_IPV6, false)));
            if (isolated.contains(Direction.EGRESS)) {
                chains.add(frame.onLink("input", fromLinkLocal));
            }
        }
        return chains;
    }

    /**
     * The base chains of one closed pod. They replace its elements with a drop, and drop the same packets.
     *
     * @param refused these elements, which the kernel has refused; at least one
     */
    static List<NftTableState.Chain> closed(PolicyNode node, IpFamily family, List<TableGroup.Element> refused) {
        PolicyFrame frame = new PolicyFrame(node, family);
        List<NftRule> drops = new ArrayList<>();
        List<NftRule> dropsOfEgress = new ArrayList<>();
        for (TableGroup.Element each : refused) {
            Direction direction =
                    each.set().equals(PolicyNames.subjects(Direction.EGRESS)) ? Direction.EGRESS : Direction.INGRESS;
            IpAddress address = IpAddress.of(each.element().key().bytes());
            NftRule rule = NftRule.of(
                    new NftStatement.AddressIn(subject(direction), List.of(Cidr.single(address)), false),
                    NftVerdict.to(PolicyNames.drop(direction)));
            drops.add(rule);
            if (direction == Direction.EGRESS) {
                dropsOfEgress.add(rule);
            }
        }
        NftElement first = refused.get(0).element();
        NftTableState.Chain forward = frame.closed("forward", first, drops);
        return dropsOfEgress.isEmpty()
                ? List.of(forward)
                : List.of(forward, frame.closed("input", first, dropsOfEgress));
    }

    private NftTableState.Chain closed(String hook, NftElement pod, List<NftRule> drops) {
        List<NftRule> rules = passing();
        rules.addAll(drops);
        return base(PolicyNames.closed(hook, pod), hook, PRIORITY_ON_LINK, rules);
    }

    /** The addresses of the pod of a chain of {@link #closed}. */
    static Set<IpAddress> addresses(NftTableState.Chain closed) {
        return closed.rules().stream()
                .flatMap(rule -> rule.statements().stream())
                .filter(NftStatement.AddressIn.class::isInstance)
                .flatMap(each -> ((NftStatement.AddressIn) each).networks().stream())
                .map(Cidr::address)
                .collect(Collectors.toSet());
    }

    /** Whether the group has the chains of {@link #closed}. */
    static boolean isClosed(TableGroup group) {
        return group.chains().stream()
                .anyMatch(chain -> PolicyNames.isClosed(chain.chain().name()));
    }

    /** Whether the group has the chains of {@link #onLink}. */
    static boolean isOnLink(TableGroup group) {
        return group.chains().stream().anyMatch(chain -> isBase(chain.chain().name()));
    }

    /** The chains of {@link #onLink} without broadcast: a kernel may not have {@code fib}. */
    static TableGroup whenRefused(TableGroup group) {
        List<NftTableState.Chain> chains = group.chains().stream()
                .map(chain -> new NftTableState.Chain(
                        chain.chain(),
                        chain.rules().stream()
                                .filter(rule -> !rule.statements().contains(new NftStatement.DestinationBroadcast()))
                                .toList()))
                .toList();
        return new TableGroup(chains, List.of(), List.of());
    }

    private NftTableState.Chain onLink(String hook, NftStatement... refused) {
        List<NftRule> rules = passing();
        for (NftStatement match : refused) {
            rules.add(NftRule.of(
                    new NftStatement.InputInterface(node.bridge()),
                    match,
                    new NftStatement.Counter(),
                    NftVerdict.DROP));
        }
        return base(hook + "-on-link", hook, PRIORITY_ON_LINK, rules);
    }

    /** Whether a chain is a base chain. It accepts only packets without a question. */
    static boolean isBase(String chain) {
        return chain.startsWith("forward-") || chain.startsWith("input-");
    }

    private NftTableState state() {
        question("forward", PRIORITY_EGRESS, Direction.EGRESS, false);
        question("forward", PRIORITY_INGRESS, Direction.INGRESS, false);
        question("input", PRIORITY_EGRESS, Direction.EGRESS, node.relays());
        NftDatatype address = NftField.SOURCE_ADDRESS.type(family);
        set(PolicyNames.SELF, List.of(address, address), List.of(), "each isolated pod with itself");
        for (Direction direction : Direction.values()) {
            chains.put(PolicyNames.drop(direction), new NftTableState.Chain(drop(family, direction), refusal()));
            set(
                    PolicyNames.subjects(direction),
                    List.of(address),
                    List.of(NftDatatype.VERDICT),
                    "pods of this node whose policies are asked");
        }
        return new NftTableState(table, "NetworkPolicies", chains, sets);
    }

    /** A log group without a listener costs the kernel a look-up. */
    private List<NftRule> refusal() {
        NftStatement count = new NftStatement.Counter();
        return List.of(
                node.logGroup() == 0
                        ? NftRule.of(count, NftVerdict.DROP)
                        : NftRule.of(count, new NftStatement.Log(node.logGroup()), NftVerdict.DROP));
    }

    /** The end of a connection whose policies are asked. */
    static NftField subject(Direction direction) {
        return direction == Direction.INGRESS ? NftField.DESTINATION_ADDRESS : NftField.SOURCE_ADDRESS;
    }

    /** A packet to a proxy's relay has a translated destination. The relay asks the policies itself. */
    private void question(String hook, int priority, Direction direction, boolean toRelay) {
        String name = hook + "-" + direction.lowerCase();
        List<NftRule> rules = passing();
        if (toRelay) {
            rules.add(
                    new NftRule(List.of(new NftStatement.DestinationTranslated(), NftVerdict.ACCEPT), "to the relay"));
        }
        if (node.strict() && hook.equals("forward")) {
            rules.add(notPickedUp(direction));
        }
        rules.add(NftRule.of(new NftStatement.VerdictOf(List.of(subject(direction)), PolicyNames.subjects(direction))));
        chains.put(name, base(name, hook, priority, rules));
    }

    /**
     * Conntrack takes a packet of an ended connection for the first of a new one, in either direction. So a refused
     * end could open the connection again, and the policies of the other end would be asked.
     */
    private static NftRule notPickedUp(Direction direction) {
        NftField subject = subject(direction);
        return new NftRule(
                List.of(
                        new NftStatement.NoTcpStart(),
                        new NftStatement.InSet(List.of(subject, subject), PolicyNames.SELF),
                        NftVerdict.to(PolicyNames.drop(direction))),
                "of a connection that was ended");
    }

    /**
     * Rules for packets that always pass: those of established connections, and the ICMPv6 that conntrack does not
     * track.
     */
    private List<NftRule> passing() {
        List<NftRule> rules = new ArrayList<>();
        rules.add(NftRule.of(new NftStatement.KnownConnection(), NftVerdict.ACCEPT));
        if (family == IpFamily.IPV6) {
            rules.add(new NftRule(
                    List.of(new NftStatement.Protocol(ICMPV6), new NftStatement.Untracked(), NftVerdict.ACCEPT),
                    "neighbour and listener discovery"));
        }
        return rules;
    }

    private NftTableState.Chain base(String name, String hook, int priority, List<NftRule> rules) {
        return new NftTableState.Chain(
                new NftChain(table, name, Optional.of(NftChain.Hook.of("filter", hook, priority))), rules);
    }

    private void set(String name, List<NftDatatype> key, List<NftDatatype> data, String comment) {
        sets.put(name, new NftTableState.Elements(new NftSet(table, name, key, data, comment), Map.of()));
    }
}
