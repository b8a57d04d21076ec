package dev.nodepath.policy.rules;

import dev.nodepath.endpoints.NamespacedName;
import dev.nodepath.linux.address.IpFamily;
import dev.nodepath.linux.nftables.apply.DesiredTable;
import dev.nodepath.linux.nftables.apply.TableGroup;
import dev.nodepath.policy.object.Direction;
import dev.nodepath.policy.object.NetworkPolicy;
import dev.nodepath.policy.object.PolicyChanges;
import dev.nodepath.policy.object.PolicyPod;
import dev.nodepath.policy.object.PolicySnapshot;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * Renders snapshots one after the other for one node and family. A change costs what depends on it: a pod its own
 * elements, a policy its chains, the pods of its namespace on this node, and the pods of groups that no policy asked
 * for before. For one thread.
 */
public final class PolicyRenderer {
    private final PolicyNode node;
    private final IpFamily family;
    private PolicySnapshot rendered = PolicySnapshot.EMPTY;
    private UsedSets sets = UsedSets.NONE;
    private Map<String, List<NetworkPolicy>> policies = Map.of();

    /** The pods of the node that policies isolate, and in which directions. */
    private final Map<NamespacedName, Set<Direction>> isolated = new HashMap<>();

    /** For the table of a family on this node. */
    public PolicyRenderer(PolicyNode node, IpFamily family) {
        this.node = node;
        this.family = family;
    }

    /** The whole table of a snapshot. */
    public DesiredTable<RuleOwner> all(PolicySnapshot snapshot) {
        take(snapshot);
        DesiredTable<RuleOwner> table = new DesiredTable<>(PolicyFrame.of(node, family));
        snapshot.policies()
                .values()
                .forEach(policy -> table.add(RuleOwner.policy(policy.name()), PolicyChains.of(policy, family)));
        isolated.clear();
        for (PolicyPod pod : snapshot.pods().values()) {
            render(pod).ifPresent(group -> table.add(RuleOwner.pod(pod.name()), group));
        }
        onLink().ifPresent(group -> table.add(RuleOwner.LINK, group));
        return table;
    }

    /** The parts that may differ from those of the snapshot before; an empty one is to be removed. */
    public Map<RuleOwner, Optional<TableGroup>> changed(PolicySnapshot snapshot, PolicyChanges changes) {
        UsedSets setsBefore = sets;
        take(snapshot);
        Map<RuleOwner, Optional<TableGroup>> groups = new HashMap<>();
        for (NamespacedName name : changes.policies()) {
            groups.put(
                    RuleOwner.policy(name),
                    Optional.ofNullable(snapshot.policies().get(name)).map(policy -> PolicyChains.of(policy, family)));
        }
        Set<Direction> before = isolatedDirections();
        for (NamespacedName name : touchedPods(setsBefore.difference(sets), changes)) {
            Optional<PolicyPod> pod = Optional.ofNullable(snapshot.pods().get(name));
            isolated.remove(name);
            groups.put(RuleOwner.pod(name), pod.flatMap(this::render));
        }
        if (!isolatedDirections().equals(before)) {
            groups.put(RuleOwner.LINK, onLink());
        }
        return groups;
    }

    private Set<Direction> isolatedDirections() {
        Set<Direction> directions = EnumSet.noneOf(Direction.class);
        isolated.values().forEach(directions::addAll);
        return directions;
    }

    private Optional<TableGroup> onLink() {
        return isolated.isEmpty()
                ? Optional.empty()
                : Optional.of(
                        new TableGroup(PolicyFrame.onLink(node, family, isolatedDirections()), List.of(), List.of()));
    }

    private void take(PolicySnapshot snapshot) {
        if (snapshot.policies() != rendered.policies()) {
            sets = UsedSets.of(snapshot.policies().values());
            policies = snapshot.policiesByNamespace();
        }
        rendered = snapshot;
    }

    private Set<NamespacedName> touchedPods(UsedSets appearedOrGone, PolicyChanges changes) {
        Set<NamespacedName> touched = new HashSet<>(changes.pods());
        Set<String> withPolicies =
                changes.policies().stream().map(NamespacedName::namespace).collect(Collectors.toSet());
        if (changes.namespaces().isEmpty() && withPolicies.isEmpty() && appearedOrGone.isEmpty()) {
            return touched;
        }
        for (PolicyPod pod : rendered.pods().values()) {
            String namespace = pod.name().namespace();
            if (changes.namespaces().contains(namespace)
                    || (withPolicies.contains(namespace) && node.has(pod))
                    || appearedOrGone.concern(pod, rendered)) {
                touched.add(pod.name());
            }
        }
        return touched;
    }

    private Optional<TableGroup> render(PolicyPod pod) {
        Map<Direction, List<NamespacedName>> isolating = isolating(pod);
        if (!isolating.isEmpty()) {
            isolated.put(pod.name(), isolating.keySet());
        }
        return PodElements.of(pod, family, isolating, sets, rendered);
    }

    /** The policies that isolate a pod of the node, in order. */
    private Map<Direction, List<NamespacedName>> isolating(PolicyPod pod) {
        Map<Direction, List<NamespacedName>> isolating = new EnumMap<>(Direction.class);
        if (node.has(pod)) {
            for (NetworkPolicy policy : policies.getOrDefault(pod.name().namespace(), List.of())) {
                for (Direction direction : Direction.values()) {
                    if (policy.isolates(pod, direction)) {
                        isolating
                                .computeIfAbsent(direction, unused -> new ArrayList<>())
                                .add(policy.name());
                    }
                }
            }
        }
        return isolating;
    }
}
