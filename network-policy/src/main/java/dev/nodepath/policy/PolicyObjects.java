package dev.nodepath.policy;

import dev.nodepath.endpoints.NamespacedName;
import dev.nodepath.endpoints.source.kubernetes.KubernetesSource;
import dev.nodepath.endpoints.source.kubernetes.ObjectSink;
import dev.nodepath.endpoints.source.kubernetes.ResourceKind;
import dev.nodepath.linux.address.IpAddress;
import dev.nodepath.policy.object.ClusterNetworkPolicy;
import dev.nodepath.policy.object.ClusterNetworkPolicyConverter;
import dev.nodepath.policy.object.LabelledNode;
import dev.nodepath.policy.object.NetworkPolicy;
import dev.nodepath.policy.object.NetworkPolicyConverter;
import dev.nodepath.policy.object.PolicyChanges;
import dev.nodepath.policy.object.PolicyNamespaceConverter;
import dev.nodepath.policy.object.PolicyPod;
import dev.nodepath.policy.object.PolicyPodConverter;
import dev.nodepath.policy.object.PolicySnapshot;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;
import java.util.stream.Collectors;
import org.pcollections.HashTreePMap;
import org.pcollections.PMap;

/**
 * Gathers policies and the objects that they depend on from an API server, and their changes. It lists Pods and
 * Namespaces once there is a policy, and Nodes once a rule refers to them. A server may have no
 * ClusterNetworkPolicies. If the server does not list these or Nodes for some seconds, the other policies are enforced
 * without them. Thread-safe.
 */
public final class PolicyObjects {
    /** The wait for ClusterNetworkPolicies and Nodes. A server that has just started may refuse them at first. */
    private static final Duration LISTING_MAX = Duration.ofSeconds(5);

    /** The longest wait for a change. Some conditions change only with time. */
    private static final Duration LOOK = Duration.ofMillis(100);

    private final Gathered<Map<String, String>> namespaces = new Gathered<>();
    private final Gathered<PolicyPod> pods = new Gathered<>();
    private final Gathered<NetworkPolicy> policies = new Gathered<>();
    private final Gathered<ClusterNetworkPolicy> clusterPolicies = new Gathered<>() {
        @Override
        public boolean isWithout() {
            replace(Map.of());
            return true;
        }
    };
    private final Gathered<LabelledNode> nodes = new Gathered<>();
    private final CountDownLatch some = new CountDownLatch(1);
    private final CountDownLatch someOfNodes = new CountDownLatch(1);
    private final Duration listingMax;
    private final LongSupplier nanoTime;
    private final GivenAddresses given = new GivenAddresses();
    private final SharedAddresses shared = new SharedAddresses();
    private Optional<PolicySnapshot> taken = Optional.empty();
    private Optional<PolicySnapshot> inForce = Optional.empty();
    private Set<NamespacedName> refusedPods = Set.of();
    private boolean tried;
    private long unenforcedSince;

    /** No object is known yet. */
    public PolicyObjects() {
        this(LISTING_MAX, System::nanoTime);
    }

    /** The same with another wait for ClusterNetworkPolicies and Nodes, and a clock, for tests. */
    PolicyObjects(Duration listingMax, LongSupplier nanoTime) {
        this.listingMax = listingMax;
        this.nanoTime = nanoTime;
        this.unenforcedSince = nanoTime.getAsLong();
    }

    /** The knowledge about policies. */
    public enum Known {
        /** The server has not answered yet. */
        NOTHING,
        /** There is no policy. */
        NONE,
        /** There is a policy. */
        SOME
    }

    /** The result of a wait for a pod's isolation. */
    public enum Guard {
        /** Its policies are in force for its addresses, or there is no policy. */
        STANDS,
        /** Policies are in force, but its Pod or its Namespace is unknown. */
        POD_UNKNOWN,
        /** No policies are in force: the kernel refuses them. */
        NOTHING_ENFORCED,
        /** Policies were not brought into force yet. */
        NOTHING_TRIED
    }

    /** A snapshot, and its differences from the snapshot before. */
    public record Update(PolicySnapshot snapshot, PolicyChanges changes) {}

    /**
     * Subscribes to a source that has not started yet. Objects of an earlier source stay until the new one brings its
     * own.
     */
    public void follow(KubernetesSource source) {
        source.following(
                        new ResourceKind<>(
                                "NetworkPolicy",
                                "/apis/networking.k8s.io/v1/networkpolicies",
                                "",
                                NetworkPolicyConverter::convert),
                        policies)
                .following(
                        new ResourceKind<>(
                                "ClusterNetworkPolicy",
                                "/apis/policy.networking.k8s.io/v1alpha2/clusternetworkpolicies",
                                "",
                                ClusterNetworkPolicyConverter::convert),
                        clusterPolicies)
                .following(
                        some,
                        new ResourceKind<>("Namespace", "/api/v1/namespaces", "", PolicyNamespaceConverter::convert),
                        namespaces)
                .following(
                        some,
                        new ResourceKind<>(
                                "Pod",
                                "/api/v1/pods",
                                "",
                                false,
                                PolicyPodConverter.UNREAD,
                                new PolicyPodConverter()::convert),
                        pods)
                .following(someOfNodes, new ResourceKind<>("Node", "/api/v1/nodes", "", LabelledNode::convert), nodes);
    }

    /** The knowledge about policies. Waits for a policy until the limit. */
    public synchronized Known known(Duration limit) throws InterruptedException {
        await(limit, this::hasPolicies);
        if (hasPolicies()) {
            return Known.SOME;
        }
        return isKnownToBeEmpty() ? Known.NONE : Known.NOTHING;
    }

    /** Waits for the condition until the limit. */
    private void await(Duration limit, BooleanSupplier condition) throws InterruptedException {
        long end = System.nanoTime() + limit.toNanos();
        for (long left = limit.toMillis(); left > 0 && !condition.getAsBoolean(); ) {
            wait(Math.min(left, LOOK.toMillis()));
            left = TimeUnit.NANOSECONDS.toMillis(end - System.nanoTime());
        }
    }

    private boolean hasPolicies() {
        return !policies.objects.isEmpty() || !clusterPolicies.objects.isEmpty();
    }

    private boolean isKnownToBeEmpty() {
        return policies.listed && !clusterPolicies.isAwaited() && !hasPolicies();
    }

    /**
     * Rules of ClusterNetworkPolicies from an earlier process are in force: they stay until the server has listed the
     * kind.
     */
    public synchronized void keepClusterPolicies() {
        clusterPolicies.required = true;
    }

    /** The kinds that are missing in the enforced policies, because the server has not listed them. */
    public synchronized List<String> missing() {
        List<String> missing = new ArrayList<>();
        if (policies.listed && !clusterPolicies.listed && !clusterPolicies.isAwaited()) {
            missing.add("ClusterNetworkPolicies");
        }
        if (namesNodes() && !nodes.listed && !nodes.isAwaited()) {
            missing.add("Nodes");
        }
        return missing;
    }

    private boolean namesNodes() {
        return clusterPolicies.objects.values().stream().anyMatch(ClusterNetworkPolicy::hasNodes);
    }

    /** The snapshot in force; empty if unknown. */
    public synchronized Optional<PolicySnapshot> inForce() {
        return inForce;
    }

    /** Sets the snapshot in force; empty if unknown. */
    public synchronized void enforced(Optional<PolicySnapshot> snapshot) {
        enforced(snapshot, Set.of());
    }

    /**
     * The same, except for pods whose part the kernel has refused. The first failure begins the wait of {@link
     * #guard}.
     */
    public synchronized void enforced(Optional<PolicySnapshot> snapshot, Set<NamespacedName> refused) {
        if (snapshot.isEmpty() && (inForce.isPresent() || !tried)) {
            unenforcedSince = nanoTime.getAsLong();
        }
        inForce = snapshot;
        tried = true;
        refusedPods = Set.copyOf(refused);
        notifyAll();
    }

    /**
     * A new pod is about to get addresses. The API has them later.
     *
     * @param uid of its Pod; empty if unknown
     */
    public synchronized void give(NamespacedName pod, String uid, List<IpAddress> addresses) {
        given.put(pod, uid, addresses).forEach(pods::changed);
    }

    /** Takes these addresses from a pod that does not get them after all. */
    public synchronized void withdraw(NamespacedName pod, List<IpAddress> addresses) {
        given.remove(pod, addresses).forEach(pods::changed);
    }

    /** Takes these addresses from every pod. */
    public synchronized void withdraw(Set<IpAddress> addresses) {
        given.removeAny(addresses).forEach(pods::changed);
    }

    /**
     * Waits until the policies are in force for a pod with its given addresses, up to the limit. While no policies are
     * in force, the limit counts from the first failure, as this state may last.
     */
    public synchronized Guard guard(NamespacedName pod, String uid, List<IpAddress> addresses, Duration limit)
            throws InterruptedException {
        long start = nanoTime.getAsLong();
        while (!isKnownToBeEmpty() && !isGuarded(pod, uid, addresses)) {
            long left = limit.toNanos() - (nanoTime.getAsLong() - (inForce.isPresent() ? start : unenforcedSince));
            if (left <= 0 && inForce.isEmpty()) {
                return tried ? Guard.NOTHING_ENFORCED : Guard.NOTHING_TRIED;
            } else if (left <= 0) {
                return Guard.POD_UNKNOWN;
            }
            TimeUnit.NANOSECONDS.timedWait(this, Math.max(1, Math.min(left, LOOK.toNanos())));
        }
        return Guard.STANDS;
    }

    /** Restores the pods' addresses from an earlier process. They count until the pod's status shows some. */
    public synchronized void restore(Map<PolicyPod, List<IpAddress>> earlier) {
        earlier.forEach((pod, addresses) -> {
            given.putEarlier(pod, addresses);
            pods.changed(pod.name());
        });
    }

    private boolean isGuarded(NamespacedName pod, String uid, List<IpAddress> addresses) {
        PolicyPod known = inForce.map(snapshot -> snapshot.pods().get(pod)).orElse(null);
        return known != null
                && isNamespaceKnown(pod.namespace())
                && !refusedPods.contains(pod)
                && known.isOf(uid)
                && known.addresses().containsAll(addresses);
    }

    /**
     * ClusterNetworkPolicies select pods by the labels of their Namespace. The watch of Namespaces may be behind that
     * of Pods.
     */
    private boolean isNamespaceKnown(String namespace) {
        return inForce.filter(snapshot -> snapshot.clusterPolicies().isEmpty()
                        || snapshot.namespaces().containsKey(namespace))
                .isPresent();
    }

    /** Waits for a change until the limit, and takes all changes. Empty until every kind is listed. */
    public synchronized Optional<Update> take(Duration limit) throws InterruptedException {
        await(limit, () -> isComplete() && isChanged());
        if (!isComplete()) {
            return Optional.empty();
        }
        if (!isChanged()) {
            return taken.map(before -> new Update(before, PolicyChanges.NONE));
        }
        Set<String> changedNamespaces =
                namespaces.takeChanged().stream().map(NamespacedName::name).collect(Collectors.toSet());
        PMap<String, Map<String, String>> labels = taken.map(PolicySnapshot::namespaces)
                .filter(before -> changedNamespaces.isEmpty())
                .orElseGet(this::namespaceLabels);
        PMap<NamespacedName, PolicyPod> withGiven = given.addTo(pods.objects, pods.changed, pods::changed);
        PolicySnapshot snapshot = new PolicySnapshot(
                labels,
                shared.divide(withGiven, taken.isEmpty() ? withGiven.keySet() : pods.changed, pods::changed),
                policies.objects,
                clusterPolicies.objects,
                nodes.objects);
        taken = Optional.of(snapshot);
        return Optional.of(new Update(
                snapshot,
                new PolicyChanges(
                        changedNamespaces,
                        pods.takeChanged(),
                        policies.takeChanged(),
                        clusterPolicies.takeChanged(),
                        nodes.takeChanged())));
    }

    private PMap<String, Map<String, String>> namespaceLabels() {
        return HashTreePMap.from(namespaces.objects.entrySet().stream()
                .collect(Collectors.toMap(entry -> entry.getKey().name(), Map.Entry::getValue)));
    }

    private boolean isComplete() {
        return namespaces.listed
                && pods.listed
                && policies.listed
                && !clusterPolicies.isAwaited()
                && !(namesNodes() && nodes.isAwaited());
    }

    private boolean isChanged() {
        return taken.isEmpty()
                || !namespaces.changed.isEmpty()
                || !pods.changed.isEmpty()
                || !policies.changed.isEmpty()
                || !clusterPolicies.changed.isEmpty()
                || !nodes.changed.isEmpty();
    }

    /** The objects of one kind. */
    private class Gathered<R> implements ObjectSink<R> {
        private PMap<NamespacedName, R> objects = HashTreePMap.empty();
        private Set<NamespacedName> changed = new HashSet<>();
        private boolean listed;
        private long awaitedSince;
        private boolean awaited;
        private boolean required;

        @Override
        public void replace(Map<NamespacedName, List<R>> listing) {
            synchronized (PolicyObjects.this) {
                for (NamespacedName known : objects.keySet()) {
                    if (!listing.containsKey(known)) {
                        set(known, List.of());
                    }
                }
                listing.forEach(this::set);
                listed = true;
                PolicyObjects.this.notifyAll();
            }
        }

        @Override
        public void put(NamespacedName name, List<R> records) {
            synchronized (PolicyObjects.this) {
                set(name, records);
            }
        }

        @Override
        public void remove(NamespacedName name) {
            put(name, List.of());
        }

        /**
         * Most changes of a Pod are in fields without meaning for policies. Before the first snapshot changes need not
         * be noted.
         */
        private void set(NamespacedName name, List<R> records) {
            R before = objects.get(name);
            R after = records.isEmpty() ? null : records.get(0);
            if (after == null ? before == null : after.equals(before)) {
                return;
            }
            objects = after == null ? objects.minus(name) : objects.plus(name, after);
            if (hasPolicies() && some.getCount() > 0) {
                unenforcedSince = nanoTime.getAsLong();
                some.countDown();
            }
            if (after instanceof ClusterNetworkPolicy policy && policy.hasNodes()) {
                someOfNodes.countDown();
            }
            changed(name);
        }

        /** Whether to wait for the first list; the server may never allow it. The wait begins here. */
        private boolean isAwaited() {
            if (!awaited) {
                awaited = true;
                awaitedSince = nanoTime.getAsLong();
            }
            return !listed && (required || nanoTime.getAsLong() - awaitedSince < listingMax.toNanos());
        }

        private void changed(NamespacedName name) {
            if (taken.isPresent()) {
                changed.add(name);
            }
            PolicyObjects.this.notifyAll();
        }

        private Set<NamespacedName> takeChanged() {
            Set<NamespacedName> taken = changed;
            changed = new HashSet<>();
            return taken;
        }
    }
}
