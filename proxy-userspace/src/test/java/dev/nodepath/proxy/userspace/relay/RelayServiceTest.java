package dev.nodepath.proxy.userspace.relay;

import static dev.nodepath.proxy.userspace.ServiceSnapshots.endpoint;
import static dev.nodepath.proxy.userspace.ServiceSnapshots.ips;
import static dev.nodepath.proxy.userspace.ServiceSnapshots.name;
import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import dev.nodepath.endpoints.Endpoint;
import dev.nodepath.endpoints.Protocol;
import dev.nodepath.endpoints.ServicePolicy;
import dev.nodepath.endpoints.ServicePort;
import dev.nodepath.endpoints.ServiceType;
import dev.nodepath.endpoints.TrafficPolicy;
import dev.nodepath.linux.address.Cidr;
import dev.nodepath.linux.address.IpAddress;
import dev.nodepath.linux.address.IpFamily;
import dev.nodepath.proxy.userspace.ServiceSnapshots;
import dev.nodepath.proxy.userspace.metrics.TrafficCounter;
import dev.nodepath.proxy.userspace.metrics.TrafficCounts;
import dev.nodepath.proxy.userspace.portals.InternalClients;
import dev.nodepath.proxy.userspace.portals.KeptClients;
import dev.nodepath.proxy.userspace.portals.Portal;
import dev.nodepath.proxy.userspace.portals.PortalPlan;
import dev.nodepath.proxy.userspace.portals.ServiceEntry;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

/** Which endpoint a client gets. */
class RelayServiceTest {
    private static final IpAddress CLIENT = IpAddress.parse("203.0.113.2");
    private static final IpAddress POD = IpAddress.parse("10.244.0.9");
    private static final InternalClients PODS = new InternalClients(Set.of(), List.of(Cidr.parse("10.244.0.0/16")));

    private final AtomicLong now = new AtomicLong(1);
    private RelayService service = service(Balancer.ROUND_ROBIN);

    private RelayService service(Balancer balancer) {
        return service(balancer, ConnectionPolicy.NONE);
    }

    private RelayService service(Balancer balancer, ConnectionPolicy policy) {
        return new RelayService(new Portal.Key(name("web"), IpFamily.IPV4), balancer, policy, now::get);
    }

    @Test
    void hasNothingToGiveAtFirst() {
        assertThat(choose()).isZero();
    }

    @Test
    void givesEndpointsInTurn() {
        update(1, 2, 3);
        assertThat(choose(7)).containsExactly(1, 2, 3, 1, 2, 3, 1);
    }

    @Test
    void goesOnWithTheRoundWhenEndpointsChange() {
        update(1, 2, 3);
        assertThat(choose(1)).containsExactly(1);
        update(1, 2, 4);
        assertThat(choose(3)).containsExactly(2, 4, 1);
    }

    @Test
    void givesOnlyCurrentEndpointsToAnOldTurn() {
        update(1, 2);
        int turn = service.nextTurn();
        update(9);
        assertThat(number(service.choose(ServiceEntry.CLUSTER_IP, CLIENT, turn)))
                .isEqualTo(9);
        update();
        assertThat(service.choose(ServiceEntry.CLUSTER_IP, CLIENT, turn)).isNull();
    }

    @Test
    void survivesTheEndOfTheNumbers() {
        update(1, 2);
        List<Integer> chosen = new ArrayList<>();
        for (int turn : new int[] {Integer.MAX_VALUE, Integer.MIN_VALUE, -1}) {
            chosen.add(number(service.choose(ServiceEntry.CLUSTER_IP, CLIENT, turn)));
        }
        assertThat(chosen).containsExactly(2, 1, 2);
    }

    @Test
    void leastConnectionsTakesTheOneWithTheFewest() {
        service = service(Balancer.LEAST_CONNECTIONS);
        update(1, 2, 3);
        List<RelayEndpoint> opened = new ArrayList<>();
        for (int i = 0; i < 6; i++) {
            RelayEndpoint endpoint = at(service.nextTurn());
            opened.add(endpoint);
            service.reached(CLIENT, endpoint, 0);
        }
        assertThat(opened).extracting(RelayEndpoint::active).containsOnly(2);
        opened.get(1).closed();
        assertThat(service.choose(ServiceEntry.CLUSTER_IP, CLIENT, service.nextTurn()))
                .isSameAs(opened.get(1));
    }

    @Test
    void leastConnectionsCountsThoseUnderWay() {
        service = service(Balancer.LEAST_CONNECTIONS);
        update(1, 2);
        at(0).dialling();
        assertThat(choose(4)).containsOnly(2);
    }

    @Test
    void givesWhatAClientHasTriedOnlyIfThereIsNothingElse() {
        for (Balancer balancer : Balancer.values()) {
            service = service(balancer);
            update(1, 2, 3);
            RelayEndpoint first = at(0);
            for (int turn = 0; turn < 10; turn++) {
                assertThat(service.choose(ServiceEntry.CLUSTER_IP, CLIENT, turn, List.of(first)))
                        .isNotSameAs(first);
            }
            update(1);
            RelayEndpoint only = at(0);
            assertThat(service.choose(ServiceEntry.CLUSTER_IP, CLIENT, 0, List.of(only)))
                    .isSameAs(only);
        }
    }

    @Test
    void randomUsesAll() {
        service = service(Balancer.RANDOM);
        update(1, 2, 3);
        assertThat(choose(200)).contains(1, 2, 3);
    }

    @Test
    void leavesOutWhatFailsAgainAndAgainAndTriesItLater() {
        update(1, 2, 3);
        RelayEndpoint dead = at(0);
        boolean left = false;
        for (int i = 0; i < RelayEndpoint.FAILURES_MAX; i++) {
            assertThat(left).isFalse();
            left = service.failed(dead);
        }
        assertThat(left).isTrue();
        assertThat(choose(4)).containsOnly(2, 3);
        now.addAndGet(RelayEndpoint.EJECTION_NANOS);
        assertThat(choose(3)).contains(1);
        assertThat(service.failed(dead)).isTrue();
        assertThat(choose(4)).containsOnly(2, 3);
        now.addAndGet(RelayEndpoint.EJECTION_NANOS);
        service.reached(CLIENT, dead, 0);
        assertThat(service.failed(dead)).isFalse();
        assertThat(choose(3)).contains(1);
    }

    @Test
    void triesAllIfAllFail() {
        update(1, 2);
        for (int turn = 0; turn < 2 * RelayEndpoint.FAILURES_MAX; turn++) {
            service.failed(at(0));
            service.failed(at(1));
        }
        assertThat(choose(4)).contains(1, 2);
    }

    @Test
    void externalPolicyLocalBindsOnlyThoseFromOutside() {
        ServicePolicy policy = new ServicePolicy(
                ServiceType.LOAD_BALANCER, TrafficPolicy.CLUSTER, TrafficPolicy.LOCAL, 0, List.of(), 0);
        update(policy, endpoints(1), Endpoint.ready(IpAddress.parse("10.244.1.2"), 80, "node-b"));
        assertThat(chosen(ServiceEntry.EXTERNAL, CLIENT)).containsOnly(1);
        assertThat(chosen(ServiceEntry.LOAD_BALANCER, CLIENT)).containsOnly(1);
        assertThat(chosen(ServiceEntry.EXTERNAL, POD)).contains(1, 2);
        assertThat(chosen(ServiceEntry.CLUSTER_IP, CLIENT)).contains(1, 2);
        update(policy, new Endpoint[0], Endpoint.ready(IpAddress.parse("10.244.1.2"), 80, "node-b"));
        assertThat(service.choose(ServiceEntry.EXTERNAL, CLIENT, 0)).isNull();
        assertThat(chosen(ServiceEntry.EXTERNAL, POD)).containsOnly(2);
    }

    @Test
    void internalPolicyLocalBindsOnlyThoseToTheClusterIp() {
        ServicePolicy policy =
                new ServicePolicy(ServiceType.NODE_PORT, TrafficPolicy.LOCAL, TrafficPolicy.CLUSTER, 0, List.of(), 0);
        update(policy, endpoints(1), Endpoint.ready(IpAddress.parse("10.244.1.2"), 80, "node-b"));
        assertThat(chosen(ServiceEntry.CLUSTER_IP, POD)).containsOnly(1);
        assertThat(chosen(ServiceEntry.EXTERNAL, CLIENT)).contains(1, 2);
    }

    @Test
    void sourceRangesApplyToLoadBalancerIpsAlone() {
        ServicePolicy policy = new ServicePolicy(
                ServiceType.LOAD_BALANCER,
                TrafficPolicy.CLUSTER,
                TrafficPolicy.CLUSTER,
                0,
                List.of(Cidr.parse("203.0.113.0/25")),
                0);
        update(policy, endpoints(1));
        assertThat(service.admits(ServiceEntry.LOAD_BALANCER, CLIENT)).isTrue();
        assertThat(service.admits(ServiceEntry.LOAD_BALANCER, IpAddress.parse("203.0.113.130")))
                .isFalse();
        assertThat(service.admits(ServiceEntry.EXTERNAL, IpAddress.parse("203.0.113.130")))
                .isTrue();
    }

    @Test
    void clientKeepsItsEndpointAsLongAsItComesBackInTime() {
        update(affinity(10), endpoints(1, 2, 3));
        RelayEndpoint first = reach();
        for (int i = 0; i < 5; i++) {
            now.addAndGet(TimeUnit.SECONDS.toNanos(9));
            assertThat(service.pinned(ServiceEntry.CLUSTER_IP, CLIENT)).isSameAs(first);
        }
        now.addAndGet(TimeUnit.SECONDS.toNanos(10));
        assertThat(service.pinned(ServiceEntry.CLUSTER_IP, CLIENT)).isNull();
    }

    /** Two flows of a client; the older one ends after the younger was moved. */
    @Test
    void theEndOfAFlowDoesNotBringAClientBackToTheEndpointThatItLeft() {
        update(affinity(10), endpoints(1, 2));
        RelayEndpoint left = reach();
        RelayEndpoint current = reach();
        assertThat(current).isNotSameAs(left);
        service.lastUsed(CLIENT, left);
        assertThat(service.pinned(ServiceEntry.CLUSTER_IP, CLIENT)).isSameAs(current);
        now.addAndGet(TimeUnit.SECONDS.toNanos(9));
        service.lastUsed(CLIENT, current);
        now.addAndGet(TimeUnit.SECONDS.toNanos(9));
        assertThat(service.pinned(ServiceEntry.CLUSTER_IP, CLIENT)).isSameAs(current);
    }

    /** kube-proxy's userspace mode kept the timeout that the Service had at first (its section 1.5 bug). */
    @Test
    void editedTimeoutCountsAtOnce() {
        update(affinity(10_000), endpoints(1, 2, 3));
        reach();
        now.addAndGet(TimeUnit.SECONDS.toNanos(100));
        update(affinity(50), endpoints(1, 2, 3));
        assertThat(service.pinned(ServiceEntry.CLUSTER_IP, CLIENT)).isNull();
    }

    @Test
    void clientMovesOnlyWhenItsEndpointGoesOrDies() {
        update(affinity(10_000), endpoints(1, 2, 3));
        RelayEndpoint first = reach();
        update(affinity(10_000), endpoints(1, 2, 3, 4));
        assertThat(service.pinned(ServiceEntry.CLUSTER_IP, CLIENT)).isSameAs(first);
        for (int i = 0; i < RelayEndpoint.FAILURES_MAX; i++) {
            service.failed(first);
        }
        assertThat(service.pinned(ServiceEntry.CLUSTER_IP, CLIENT)).isNull();
        RelayEndpoint second = reach();
        assertThat(second).isNotSameAs(first);
        assertThat(service.pinned(ServiceEntry.CLUSTER_IP, CLIENT)).isSameAs(second);
        update(affinity(10_000), endpoints(1));
        assertThat(service.pinned(ServiceEntry.CLUSTER_IP, CLIENT)).isNull();
    }

    @Test
    void affinityEndsWithThePolicy() {
        update(affinity(10_000), endpoints(1, 2));
        reach();
        update(1, 2);
        assertThat(service.pinned(ServiceEntry.CLUSTER_IP, CLIENT)).isNull();
        update(affinity(10_000), endpoints(1, 2));
        assertThat(service.pinned(ServiceEntry.CLUSTER_IP, CLIENT)).isNull();
    }

    @Test
    void remembersABoundedNumberOfClients() {
        Affinity affinity = new Affinity();
        RelayEndpoint endpoint =
                new RelayEndpoint(new InetSocketAddress(CLIENT.toInetAddress(), 1), new TrafficCounter());
        IpAddress first = IpAddress.parse("10.0.0.0");
        for (int i = 0; i <= Affinity.CLIENTS_MAX; i++) {
            affinity.pin(first.plus(i), endpoint, 0);
        }
        assertThat(affinity.size()).isEqualTo(Affinity.CLIENTS_MAX);
        assertThat(affinity.find(first, 0, 1)).isNull();
        assertThat(affinity.find(first.plus(1), 0, 1)).isSameAs(endpoint);
    }

    @Test
    void keepsCountsOfAnEndpointThatIsGoneWhileItHasConnections() {
        update(1, 2);
        RelayEndpoint leaving = at(0);
        service.reached(CLIENT, leaving, TimeUnit.MILLISECONDS.toNanos(2));
        leaving.addBytesFromClient(5);
        update(2);
        assertThat(service.has(ServiceEntry.CLUSTER_IP, CLIENT, leaving)).isFalse();
        assertThat(service.departed(List.of())).containsExactly(leaving);
        assertThat(service.counts().endpoints()).hasSize(2).anySatisfy(counts -> {
            assertThat(counts.traffic().opened()).isEqualTo(1);
            assertThat(counts.active()).isEqualTo(1);
            assertThat(counts.traffic().bytesFromClients()).isEqualTo(5);
            assertThat(counts.dialTimes()).containsExactly(0L, 0L, 0L, 0L, 1L, 0L, 0L, 0L, 0L, 0L, 0L, 0L);
        });
        leaving.closed();
        update(2);
        assertThat(service.counts().endpoints()).hasSize(1);
        assertThat(service.counts().traffic()).isEqualTo(new TrafficCounts(1, 0, 5, 0));
    }

    /** The endpoint goes while its dial looks whether it is still there; that dial's connection is drained too. */
    @Test
    void departsAnEndpointThatGoesBetweenItsDialAndItsConnection() {
        ServicePolicy local =
                new ServicePolicy(ServiceType.NODE_PORT, TrafficPolicy.CLUSTER, TrafficPolicy.LOCAL, 0, List.of(), 0);
        List<RelayEndpoint> departed = new ArrayList<>();
        AtomicBoolean goes = new AtomicBoolean();
        service = service(Balancer.ROUND_ROBIN, (client, endpoint, protocol) -> {
            if (goes.get()) {
                update(local, endpoints(2), InternalClients.NONE);
                departed.addAll(service.departed(List.of()));
            }
            return true;
        });
        update(local, endpoints(1), InternalClients.NONE);
        RelayEndpoint leaving = requireNonNull(service.choose(ServiceEntry.EXTERNAL, CLIENT, 0));
        leaving.dialling();
        goes.set(true);
        assertThat(service.choose(ServiceEntry.EXTERNAL, CLIENT, 0)).isSameAs(leaving);
        service.reached(CLIENT, leaving, 0);
        leaving.dialled();
        assertThat(departed).containsExactly(leaving);
        assertThat(service.departed(List.of())).containsExactly(leaving);
    }

    @Test
    void choosesAmongTheEndpointsThatThePolicyAllows() {
        Set<Integer> allowed = new HashSet<>(Set.of(2, 3));
        service = service(
                Balancer.ROUND_ROBIN,
                (client, endpoint, protocol) ->
                        client.equals(CLIENT) && protocol == Protocol.TCP && allowed.contains(number(endpoint)));
        update(1, 2, 3);
        assertThat(choose(6)).containsOnly(2, 3).contains(2, 3);
        RelayEndpoint second = at(1);
        assertThat(number(service.choose(ServiceEntry.CLUSTER_IP, CLIENT, 1, List.of(second))))
                .isEqualTo(3);

        allowed.clear();
        assertThat(choose(3)).containsOnly(0);
        assertThat(service.hasEndpoints(ServiceEntry.CLUSTER_IP, CLIENT)).isTrue();
        assertThat(service.has(ServiceEntry.CLUSTER_IP, CLIENT, second)).isTrue();
        update();
        assertThat(service.hasEndpoints(ServiceEntry.CLUSTER_IP, CLIENT)).isFalse();
    }

    @Test
    void aPinnedClientLeavesAnEndpointThatThePolicyNoLongerAllows() {
        Set<Integer> allowed = new HashSet<>(Set.of(1, 2));
        service = service(Balancer.ROUND_ROBIN, (client, endpoint, protocol) -> allowed.contains(number(endpoint)));
        update(affinity(10_000), endpoints(1, 2));
        RelayEndpoint first = reach();
        assertThat(service.pinned(ServiceEntry.CLUSTER_IP, CLIENT)).isSameAs(first);
        allowed.remove(1);
        assertThat(service.pinned(ServiceEntry.CLUSTER_IP, CLIENT)).isNull();
        assertThat(choose()).isEqualTo(2);
    }

    @Test
    void thePolicyIsNotAskedAboutTheNodeItself() {
        service = service(Balancer.ROUND_ROBIN, (client, endpoint, protocol) -> false);
        IpAddress node = IpAddress.parse("192.0.2.7");
        update(ServicePolicy.DEFAULT, endpoints(1), new InternalClients(Set.of(node), List.of()));
        assertThat(chosen(ServiceEntry.CLUSTER_IP, node)).containsOnly(1);
        assertThat(chosen(ServiceEntry.CLUSTER_IP, CLIENT)).containsOnly(0);
    }

    private RelayEndpoint at(int turn) {
        return requireNonNull(service.choose(ServiceEntry.CLUSTER_IP, CLIENT, turn));
    }

    private RelayEndpoint reach() {
        RelayEndpoint endpoint = at(service.nextTurn());
        service.reached(CLIENT, endpoint, 0);
        return endpoint;
    }

    private static ServicePolicy affinity(int seconds) {
        return new ServicePolicy(
                ServiceType.CLUSTER_IP, TrafficPolicy.CLUSTER, TrafficPolicy.CLUSTER, seconds, List.of(), 0);
    }

    private static Endpoint[] endpoints(int... numbers) {
        Endpoint[] endpoints = new Endpoint[numbers.length];
        for (int i = 0; i < numbers.length; i++) {
            endpoints[i] = endpoint("10.244.0." + numbers[i] + ":80");
        }
        return endpoints;
    }

    private void update(int... numbers) {
        update(ServicePolicy.DEFAULT, endpoints(numbers));
    }

    private void update(ServicePolicy policy, Endpoint[] here, Endpoint... there) {
        ServicePort port =
                new ServicePort(name("web"), ips("10.96.0.10"), 80, 30080, List.of(), ips("192.0.2.2"), policy);
        List<Endpoint> all = new ArrayList<>(List.of(here));
        all.addAll(List.of(there));
        update(port, all, PODS);
    }

    private void update(ServicePolicy policy, Endpoint[] endpoints, InternalClients inside) {
        ServicePort port =
                new ServicePort(name("web"), ips("10.96.0.10"), 80, 30080, List.of(), ips("192.0.2.2"), policy);
        update(port, List.of(endpoints), inside);
    }

    private void update(ServicePort port, List<Endpoint> all, InternalClients inside) {
        PortalPlan plan = PortalPlan.of(
                new ServiceSnapshots().add(port, all.toArray(new Endpoint[0])).build(), "node-a", IpFamily.IPV4);
        service.update(plan.portals().get(0), inside, KeptClients.NONE);
    }

    private int choose() {
        return number(service.choose(ServiceEntry.CLUSTER_IP, CLIENT, service.nextTurn()));
    }

    private List<Integer> choose(int count) {
        List<Integer> chosen = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            chosen.add(choose());
        }
        return chosen;
    }

    private List<Integer> chosen(ServiceEntry entry, IpAddress client) {
        List<Integer> chosen = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            chosen.add(number(service.choose(entry, client, service.nextTurn())));
        }
        return chosen;
    }

    private static int number(@org.jspecify.annotations.Nullable RelayEndpoint endpoint) {
        return endpoint == null ? 0 : number(endpoint.address());
    }

    private static int number(InetSocketAddress endpoint) {
        return endpoint.getAddress().getAddress()[3];
    }
}
