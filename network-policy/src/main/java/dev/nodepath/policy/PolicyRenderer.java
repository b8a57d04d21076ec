package dev.nodepath.policy;

import dev.nodepath.endpoints.NamespacedName;
import dev.nodepath.linux.address.IpAddress;
import dev.nodepath.linux.address.IpFamily;
import dev.nodepath.linux.nftables.DesiredTable;
import dev.nodepath.linux.nftables.NftTableState;
import dev.nodepath.linux.nftables.TableGroup;
import dev.nodepath.policy.object.AskedPolicies;
import dev.nodepath.policy.object.ClusterNetworkPolicy;
import dev.nodepath.policy.object.Direction;
import dev.nodepath.policy.object.NetworkPolicy;
import dev.nodepath.policy.object.PolicyChanges;
import dev.nodepath.policy.object.PolicyPod;
import dev.nodepath.policy.object.PolicySnapshot;
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
 * Renders successive snapshots for one node and family. A change costs as much as the parts that depend on it: a pod
 * its own elements; a policy its chains, the pods of its namespace on this node, and the pods in groups that no
 * earlier policy used. A change of a ClusterNetworkPolicy renders all pods of this node again. One thread uses it.
 */
public final class PolicyRenderer {
    private final PolicyNode node;
    private final IpFamily family;
    private PolicySnapshot rendered = PolicySnapshot.EMPTY;
    private UsedSets sets = UsedSets.NONE;
    private Map<String, List<NetworkPolicy>> policies = Map.of();
    private List<ClusterNetworkPolicy> clusterPolicies = List.of();

    /** For each namespace the sets that its pods can be in, until policies or namespaces change. */
    private final Map<String, UsedSets> setsByNamespace = new HashMap<>();

    /** The node's pods with refused connections, and the directions of these. */
    private final Map<NamespacedName, Set<Direction>> isolated = new HashMap<>();

    /** Renders the table of a family on this node. */
    public PolicyRenderer(PolicyNode node, IpFamily family) {
        this.node = node;
        this.family = family;
    }

    /**
     * The substitute of a part that the kernel refuses: its policies allow nothing, and its isolated pods are cut off.
     * If the kernel refuses the substitute too, a pod is cut off by chains; any other part is left out. The last
     * substitute stays.
     */
    public TableGroup whenRefused(TableGroup group) {
        if (PolicyFrame.isClosed(group)) {
            return group;
        } else if (PodElements.isCutOff(group)) {
            return PodElements.closed(group, node, family);
        } else if (!group.elements().isEmpty()) {
            return PodElements.whenRefused(group);
        }
        TableGroup rest =
                PolicyFrame.isOnLink(group) ? PolicyFrame.whenRefused(group) : PolicyChains.whenRefused(group);
        return rest.equals(group) ? TableGroup.EMPTY : rest;
    }

    /** The whole table of a snapshot. */
    public DesiredTable<RuleOwner> all(PolicySnapshot snapshot) {
        take(snapshot);
        DesiredTable<RuleOwner> table = new DesiredTable<>(PolicyFrame.of(node, family));
        snapshot.policies()
                .values()
                .forEach(policy -> table.add(RuleOwner.policy(policy.name()), PolicyChains.of(policy, family)));
        snapshot.clusterPolicies()
                .values()
                .forEach(policy -> table.add(RuleOwner.clusterPolicy(policy.name()), PolicyChains.of(policy, family)));
        snapshot.nodes()
                .forEach((name, each) ->
                        NodeElements.of(each, family, sets).ifPresent(group -> table.add(RuleOwner.node(name), group)));
        isolated.clear();
        for (PolicyPod pod : snapshot.pods().values()) {
            render(pod).ifPresent(group -> table.add(RuleOwner.pod(pod.name()), group));
        }
        onLink().ifPresent(group -> table.add(RuleOwner.LINK, group));
        return table;
    }

    /** The parts that may differ from those of the last snapshot; an empty part is to be removed. */
    public Map<RuleOwner, Optional<TableGroup>> changed(PolicySnapshot snapshot, PolicyChanges changes) {
        UsedSets setsBefore = sets;
        take(snapshot);
        Map<RuleOwner, Optional<TableGroup>> groups = new HashMap<>();
        for (NamespacedName name : changes.policies()) {
            groups.put(
                    RuleOwner.policy(name),
                    Optional.ofNullable(snapshot.policies().get(name)).map(policy -> PolicyChains.of(policy, family)));
        }
        for (NamespacedName name : changes.clusterPolicies()) {
            groups.put(
                    RuleOwner.clusterPolicy(name),
                    Optional.ofNullable(snapshot.clusterPolicies().get(name))
                            .map(policy -> PolicyChains.of(policy, family)));
        }
        UsedSets appearedOrGone = setsBefore.difference(sets);
        for (NamespacedName name : touchedNodes(appearedOrGone, changes)) {
            groups.put(
                    RuleOwner.node(name),
                    Optional.ofNullable(snapshot.nodes().get(name))
                            .flatMap(each -> NodeElements.of(each, family, sets)));
        }
        Set<Direction> before = isolatedDirections();
        for (NamespacedName name : touchedPods(appearedOrGone, changes)) {
            Optional<PolicyPod> pod = Optional.ofNullable(snapshot.pods().get(name));
            isolated.remove(name);
            groups.put(RuleOwner.pod(name), pod.flatMap(this::render));
        }
        if (!isolatedDirections().equals(before)) {
            groups.put(RuleOwner.LINK, onLink());
        }
        return groups;
    }

    /**
     * The addresses that a table isolates for this node's pods, if the snapshot shows no address of the pod. The
     * snapshot may still show such an address at another pod, but the table is newer.
     */
    public Map<PolicyPod, Set<IpAddress>> isolatedWithoutStatus(NftTableState table, PolicySnapshot snapshot) {
        Map<String, Set<IpAddress>> addresses = PodElements.isolated(table);
        Map<PolicyPod, Set<IpAddress>> isolated = new HashMap<>();
        for (PolicyPod pod : snapshot.pods().values()) {
            Set<IpAddress> known = addresses.get(PodElements.comment(pod));
            if (known != null && pod.addresses().isEmpty() && node.has(pod)) {
                isolated.put(pod, known);
            }
        }
        return isolated;
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
        boolean othersAreAsked =
                snapshot.policies() != rendered.policies() || snapshot.clusterPolicies() != rendered.clusterPolicies();
        if (othersAreAsked || snapshot.namespaces() != rendered.namespaces()) {
            setsByNamespace.clear();
        }
        if (othersAreAsked) {
            sets = UsedSets.of(snapshot, sets);
            policies = snapshot.policiesByNamespace();
            clusterPolicies = snapshot.clusterPoliciesInOrder();
        }
        rendered = snapshot;
    }

    private Set<NamespacedName> touchedNodes(UsedSets appearedOrGone, PolicyChanges changes) {
        Set<NamespacedName> touched = new HashSet<>(changes.nodes());
        if (!appearedOrGone.nodes().isEmpty()) {
            touched.addAll(rendered.nodes().keySet());
        }
        return touched;
    }

    private Set<NamespacedName> touchedPods(UsedSets appearedOrGone, PolicyChanges changes) {
        Set<NamespacedName> touched = new HashSet<>(changes.pods());
        Set<String> withPolicies =
                changes.policies().stream().map(NamespacedName::namespace).collect(Collectors.toSet());
        boolean allOfNode = !changes.clusterPolicies().isEmpty();
        if (changes.namespaces().isEmpty() && withPolicies.isEmpty() && !allOfNode && !appearedOrGone.concernsPods()) {
            return touched;
        }
        for (PolicyPod pod : rendered.pods().values()) {
            String namespace = pod.name().namespace();
            if (changes.namespaces().contains(namespace)
                    || ((allOfNode || withPolicies.contains(namespace)) && node.has(pod))
                    || appearedOrGone.concern(pod, rendered)) {
                touched.add(pod.name());
            }
        }
        return touched;
    }

    private Optional<TableGroup> render(PolicyPod pod) {
        Map<Direction, AskedPolicies> asked = new EnumMap<>(Direction.class);
        Set<Direction> refusing = EnumSet.noneOf(Direction.class);
        for (Direction direction : node.has(pod) ? Direction.values() : new Direction[0]) {
            AskedPolicies policiesOfPod = AskedPolicies.of(
                    pod,
                    direction,
                    policies.getOrDefault(pod.name().namespace(), List.of()),
                    clusterPolicies,
                    rendered);
            if (!policiesOfPod.isEmpty()) {
                asked.put(direction, policiesOfPod);
            }
            if (policiesOfPod.refuse()) {
                refusing.add(direction);
            }
        }
        if (!refusing.isEmpty()) {
            isolated.put(pod.name(), refusing);
        }
        UsedSets ofNamespace =
                setsByNamespace.computeIfAbsent(pod.name().namespace(), namespace -> sets.in(namespace, rendered));
        return PodElements.of(pod, family, asked, ofNamespace);
    }
}
