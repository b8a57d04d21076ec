package dev.nodepath.agent.daemon;

import static org.assertj.core.api.Assertions.assertThat;

import dev.nodepath.agent.parts.Running;
import dev.nodepath.endpoints.NamespacedName;
import dev.nodepath.endpoints.Protocol;
import dev.nodepath.linux.address.IpAddress;
import dev.nodepath.policy.object.ClusterNetworkPolicy;
import dev.nodepath.policy.object.ClusterRule;
import dev.nodepath.policy.object.Direction;
import dev.nodepath.policy.object.LabelSelector;
import dev.nodepath.policy.object.NetworkPolicy;
import dev.nodepath.policy.object.PodPeer;
import dev.nodepath.policy.object.PolicyPod;
import dev.nodepath.policy.object.PolicyPort;
import dev.nodepath.policy.object.PolicyRule;
import dev.nodepath.policy.object.PolicySnapshot;
import dev.nodepath.policy.object.Tier;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.pcollections.HashTreePMap;
import org.pcollections.PMap;

/** Relay of node n1: {@code here} and {@code other} are its pods, {@code away} is one of node n2. */
class PolicyGateTest {
    private static final LabelSelector ALL = new LabelSelector(List.of());
    private static final String OUTSIDE = "192.0.2.9";

    private final PMap<NamespacedName, PolicyPod> pods = HashTreePMap.<NamespacedName, PolicyPod>empty()
            .plus(name("here"), pod("here", "n1", "10.244.1.2"))
            .plus(name("other"), pod("other", "n1", "10.244.1.3"))
            .plus(name("away"), pod("away", "n2", "10.244.2.2"));
    private final PolicyGate gate = new PolicyGate("n1");

    private static NamespacedName name(String name) {
        return new NamespacedName("default", name);
    }

    private static PolicyPod pod(String name, String node, String address) {
        return new PolicyPod(name(name), "", node, Map.of("name", name), List.of(IpAddress.parse(address)), List.of());
    }

    private void policies(NetworkPolicy... policies) {
        PMap<NamespacedName, NetworkPolicy> all = HashTreePMap.empty();
        for (NetworkPolicy policy : policies) {
            all = all.plus(policy.name(), policy);
        }
        gate.accept(new PolicySnapshot(HashTreePMap.empty(), pods, all, HashTreePMap.empty(), HashTreePMap.empty()));
    }

    private static NetworkPolicy policy(Direction direction, PolicyRule... rules) {
        return new NetworkPolicy(name("policy"), ALL, Map.of(direction, List.of(rules)));
    }

    private boolean allows(String client, String endpoint, int port) {
        return gate.allows(
                IpAddress.parse(client),
                new InetSocketAddress(IpAddress.parse(endpoint).toInetAddress(), port),
                Protocol.TCP);
    }

    @Test
    void allowsAllWithoutPolicies() {
        assertThat(allows("10.244.1.2", "10.244.1.3", 80)).isTrue();
        policies(policy(Direction.INGRESS));
        assertThat(allows("10.244.1.2", "10.244.1.3", 80)).isFalse();
        policies();
        assertThat(allows("10.244.1.2", "10.244.1.3", 80)).isTrue();
    }

    @Test
    void asksForIngressWhereverClientAndEndpointAre() {
        PodPeer peer = new PodPeer(Optional.of("default"), ALL, ALL);
        policies(policy(
                Direction.INGRESS,
                new PolicyRule(0, List.of(peer), List.of(new PolicyPort(Protocol.TCP, 80, 80, "")))));
        assertThat(allows("10.244.1.2", "10.244.2.2", 80)).isTrue();
        assertThat(allows("10.244.2.2", "10.244.1.2", 80)).isTrue();
        assertThat(allows("10.244.1.2", "10.244.2.2", 81)).isFalse();
        assertThat(allows(OUTSIDE, "10.244.1.2", 80)).isFalse();
        assertThat(allows(OUTSIDE, "10.244.2.2", 80)).isFalse();
    }

    @Test
    void asksForEgressOfItsOwnPods() {
        policies(policy(Direction.EGRESS));
        assertThat(allows("10.244.1.2", "10.244.2.2", 80)).isFalse();
        assertThat(allows("10.244.1.2", "192.0.2.1", 80)).isFalse();
        assertThat(allows("10.244.2.2", "10.244.1.2", 80)).isTrue();
        assertThat(allows(OUTSIDE, "10.244.1.2", 80)).isTrue();
    }

    @Test
    void aPodReachesItself() {
        policies(policy(Direction.INGRESS), policy(Direction.EGRESS));
        assertThat(allows("10.244.1.2", "10.244.1.2", 80)).isTrue();
    }

    /** A client's node asks for its egress, by both kinds of policies. */
    @Test
    void asksPoliciesOfTheCluster() {
        ClusterRule deny = new ClusterRule("", ClusterRule.Action.DENY, new PolicyRule(0, List.of(), List.of()));
        clusterPolicy(Direction.EGRESS, deny);
        assertThat(allows("10.244.1.2", "10.244.2.2", 80)).isFalse();
        assertThat(allows("10.244.2.2", "10.244.1.2", 80)).isTrue();
        clusterPolicy(Direction.INGRESS, deny);
        assertThat(allows("10.244.2.2", "10.244.1.2", 80)).isFalse();
    }

    private void clusterPolicy(Direction direction, ClusterRule rule) {
        NamespacedName name = new NamespacedName("", "guard");
        ClusterNetworkPolicy policy = new ClusterNetworkPolicy(
                name, Tier.ADMIN, 0, new PodPeer(Optional.of("default"), ALL, ALL), Map.of(direction, List.of(rule)));
        gate.accept(new PolicySnapshot(
                HashTreePMap.empty(),
                pods,
                HashTreePMap.empty(),
                HashTreePMap.singleton(name, policy),
                HashTreePMap.empty()));
    }

    /** Does something at each look whether the part is to stop. */
    private record Looks(AtomicInteger count, Runnable action, boolean stops) implements Running {
        @Override
        public void up() {}

        @Override
        public void waiting(String reason) {}

        @Override
        public boolean awaitStop(Duration limit) {
            count.incrementAndGet();
            action.run();
            return stops;
        }
    }

    @Test
    void aRelayWaitsForTheFirstSnapshot() throws Exception {
        Looks looks = new Looks(new AtomicInteger(), () -> policies(policy(Direction.INGRESS)), false);
        gate.await(looks, Duration.ofMinutes(5));
        assertThat(looks.count).hasValue(1);
        assertThat(allows("10.244.1.2", "10.244.1.3", 80)).isFalse();
        gate.await(looks, Duration.ofMinutes(5));
        assertThat(looks.count).hasValue(1);
    }

    @Test
    void aRelayWaitsNoLongerThanItMay() throws Exception {
        Looks stops = new Looks(new AtomicInteger(), () -> {}, true);
        gate.await(stops, Duration.ofMinutes(5));
        assertThat(stops.count).hasValue(1);
        Looks goesOn = new Looks(new AtomicInteger(), () -> {}, false);
        gate.await(goesOn, Duration.ZERO);
        assertThat(goesOn.count).hasValueLessThan(2);
    }
}
