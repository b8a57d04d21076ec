package dev.nodepath.policy;

import dev.nodepath.endpoints.NamespacedName;
import dev.nodepath.linux.address.IpAddress;
import dev.nodepath.linux.address.IpFamily;
import dev.nodepath.linux.nftables.NftChain;
import dev.nodepath.linux.nftables.NftElement;
import dev.nodepath.linux.nftables.NftField;
import dev.nodepath.linux.nftables.NftRule;
import dev.nodepath.linux.nftables.NftStatement;
import dev.nodepath.linux.nftables.NftTableState;
import dev.nodepath.linux.nftables.NftValue;
import dev.nodepath.linux.nftables.NftVerdict;
import dev.nodepath.linux.nftables.TableGroup;
import dev.nodepath.policy.object.AskedPolicies;
import dev.nodepath.policy.object.Direction;
import dev.nodepath.policy.object.PolicyPod;
import dev.nodepath.policy.object.PolicyPort;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The part of one pod in the table: its elements, and for a pod of this node the chains of its classes. Pods with the
 * same policies are of one class, whose chains exist as long as one of its pods.
 */
final class PodElements {
    private final PolicyPod pod;
    private final IpFamily family;
    private final List<IpAddress> addresses;
    private final List<NftTableState.Chain> chains = new ArrayList<>();
    private final List<TableGroup.Element> elements = new ArrayList<>();

    private PodElements(PolicyPod pod, IpFamily family) {
        this.pod = pod;
        this.family = family;
        this.addresses = pod.addresses().stream()
                .filter(address -> address.family() == family)
                .toList();
    }

    /**
     * Empty if the pod has no part.
     *
     * @param asked the policies of each direction with policies; none if it is no pod of the node
     * @param sets the sets for its namespace
     */
    static Optional<TableGroup> of(PolicyPod pod, IpFamily family, Map<Direction, AskedPolicies> asked, UsedSets sets) {
        PodElements added = new PodElements(pod, family);
        if (added.addresses.isEmpty()) {
            return Optional.empty();
        }
        added.addToSets(sets);
        asked.forEach(added::addClass);
        if (asked.values().stream().anyMatch(AskedPolicies::refuse)) {
            added.addSelf();
        }
        return added.elements.isEmpty()
                ? Optional.empty()
                : Optional.of(new TableGroup(added.chains, List.of(), added.elements));
    }

    /**
     * The pod's elements, without chains. If a policy can refuse the pod's connections, all packets in the directions
     * with policies are dropped. The pod stays in the sets of policies.
     */
    static TableGroup whenRefused(TableGroup group) {
        boolean refuses = group.elements().stream().anyMatch(each -> each.set().equals(PolicyNames.SELF));
        List<TableGroup.Element> rest = new ArrayList<>();
        for (TableGroup.Element each : group.elements()) {
            NftElement element = each.element();
            Optional<Direction> asked = Stream.of(Direction.values())
                    .filter(direction -> each.set().equals(PolicyNames.subjects(direction)))
                    .findFirst();
            if (asked.isPresent() && refuses) {
                NftVerdict drop = NftVerdict.to(PolicyNames.drop(asked.get()));
                rest.add(new TableGroup.Element(
                        each.set(), new NftElement(element.key(), Optional.of(drop), element.comment())));
            } else if (element.data().isEmpty() && !each.set().equals(PolicyNames.SELF)) {
                rest.add(each);
            }
        }
        return rest.equals(group.elements()) ? TableGroup.EMPTY : new TableGroup(List.of(), List.of(), rest);
    }

    /**
     * Whether the pod's elements lead to a drop. The element of an ordinary pod leads to a chain of its class, never
     * to a drop.
     */
    static boolean isCutOff(TableGroup group) {
        return group.elements().stream().anyMatch(PodElements::isDrop);
    }

    private static boolean isDrop(TableGroup.Element each) {
        return each.element().data().orElse(null) instanceof NftVerdict verdict && PolicyNames.isDrop(verdict.chain());
    }

    /** A cut-off pod, by chains instead of elements. */
    static TableGroup closed(TableGroup group, PolicyNode node, IpFamily family) {
        Map<Boolean, List<TableGroup.Element>> byDrop =
                group.elements().stream().collect(Collectors.partitioningBy(PodElements::isDrop));
        List<NftTableState.Chain> chains = PolicyFrame.closed(node, family, Objects.requireNonNull(byDrop.get(true)));
        return new TableGroup(chains, List.of(), Objects.requireNonNull(byDrop.get(false)));
    }

    /**
     * The addresses that a table isolates, by the comments of their elements. A closed pod has chains instead of
     * elements.
     */
    static Map<String, Set<IpAddress>> isolated(NftTableState table) {
        Map<String, Set<IpAddress>> isolated = new HashMap<>();
        for (Direction direction : Direction.values()) {
            NftTableState.Elements subjects = table.sets().get(PolicyNames.subjects(direction));
            for (NftElement each : subjects == null
                    ? List.<NftElement>of()
                    : subjects.elements().values()) {
                isolated.computeIfAbsent(each.comment(), missing -> new LinkedHashSet<>())
                        .add(IpAddress.of(each.key().bytes()));
            }
        }
        for (NftTableState.Chain each : table.chains().values()) {
            PolicyNames.commentOfClosed(each.chain().name())
                    .ifPresent(comment -> isolated.computeIfAbsent(comment, missing -> new LinkedHashSet<>())
                            .addAll(PolicyFrame.addresses(each)));
        }
        return isolated;
    }

    private void addToSets(UsedSets sets) {
        sets.peers().forEach((peer, set) -> {
            if (peer.pods().matches(pod.labels())) {
                addresses.forEach(address -> add(set, NftElement.of(NftValue.of(address))));
            }
        });
        for (PolicyPort set : sets.ports()) {
            for (PolicyPod.NamedPort port : pod.ports()) {
                if (UsedSets.isOf(port, set)) {
                    addresses.forEach(
                            address -> add(PolicyNames.port(set), NftElement.of(NftValue.of(address, port.number()))));
                }
            }
        }
    }

    private void addClass(Direction direction, AskedPolicies asked) {
        NftVerdict rest = rest(direction, asked);
        NftVerdict first = rest;
        if (!asked.admin().isEmpty()) {
            String name = PolicyNames.admin(direction, asked);
            List<NftRule> rules = jumps(direction, asked.admin());
            rules.add(NftRule.of(rest));
            addChain(name, rules);
            addVerdict(PolicyNames.passed(direction), rest);
            first = NftVerdict.to(name);
        }
        addVerdict(PolicyNames.subjects(direction), first);
    }

    /**
     * The next step after the tier Admin if none of its policies decides. A policy that allows a connection accepts
     * it.
     */
    private NftVerdict rest(Direction direction, AskedPolicies asked) {
        NftVerdict rest = PolicyNames.rest(direction, asked);
        if (!asked.isolating().isEmpty()) {
            List<NftRule> rules = new ArrayList<>();
            rules.add(NftRule.of(new NftStatement.InSet(NftField.ADDRESSES, PolicyNames.SELF), NftVerdict.ACCEPT));
            asked.isolating()
                    .forEach(policy -> rules.add(NftRule.of(NftVerdict.jump(PolicyNames.policy(direction, policy)))));
            rules.add(NftRule.of(NftVerdict.to(PolicyNames.drop(direction))));
            addChain(rest.chain(), rules);
        } else if (!asked.baseline().isEmpty()) {
            List<NftRule> rules = jumps(direction, asked.baseline());
            rules.add(NftRule.of(NftVerdict.ACCEPT));
            addChain(rest.chain(), rules);
        }
        return rest;
    }

    private void addSelf() {
        addresses.forEach(address ->
                add(PolicyNames.SELF, NftElement.of(NftValue.of(address).and(NftValue.of(address)))));
    }

    private static List<NftRule> jumps(Direction direction, List<NamespacedName> policies) {
        List<NftRule> rules = new ArrayList<>();
        policies.forEach(
                policy -> rules.add(NftRule.of(NftVerdict.jump(PolicyNames.clusterPolicy(direction, policy)))));
        return rules;
    }

    private void addChain(String name, List<NftRule> rules) {
        chains.add(new NftTableState.Chain(new NftChain(PolicyFrame.table(family), name, Optional.empty()), rules));
    }

    private void addVerdict(String map, NftVerdict verdict) {
        addresses.forEach(
                address -> add(map, new NftElement(NftValue.of(address), Optional.of(verdict), comment(pod))));
    }

    /** The comment that names the pod. {@code nft} takes comments of up to 127 bytes. */
    static String comment(PolicyPod pod) {
        String words = pod.name().toString();
        return words.substring(0, Math.min(words.length(), 127));
    }

    private void add(String set, NftElement element) {
        elements.add(new TableGroup.Element(set, element));
    }
}
