package dev.nodepath.proxy.userspace.portals;

import static dev.nodepath.proxy.userspace.ServiceSnapshots.endpoint;
import static dev.nodepath.proxy.userspace.ServiceSnapshots.ips;
import static dev.nodepath.proxy.userspace.ServiceSnapshots.name;
import static org.assertj.core.api.Assertions.assertThat;

import dev.nodepath.endpoints.Endpoint;
import dev.nodepath.endpoints.NamespacedName;
import dev.nodepath.endpoints.Protocol;
import dev.nodepath.endpoints.ServicePolicy;
import dev.nodepath.endpoints.ServicePort;
import dev.nodepath.endpoints.ServicePortName;
import dev.nodepath.endpoints.ServiceType;
import dev.nodepath.endpoints.TrafficPolicy;
import dev.nodepath.linux.address.IpAddress;
import dev.nodepath.linux.address.IpFamily;
import dev.nodepath.proxy.userspace.ServiceSnapshots;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;

class PortalPlanTest {
    @Test
    void takesEveryAddressOnceAndOnlyReadyEndpoints() {
        Endpoint unready = new Endpoint(IpAddress.parse("10.244.0.6"), 8080, "node-a", false, true, true);
        ServicePort web = new ServicePort(
                name("web"), ips("10.96.0.10"), 80, 30080, ips("192.0.2.1"), ips("192.0.2.1", "192.0.2.2"));
        PortalPlan plan = plan(new ServiceSnapshots().add(web, endpoint("10.244.0.5:8080"), unready));
        Portal portal = plan.portals().get(0);
        assertThat(plan.portals()).hasSize(1);
        assertThat(portal.addresses())
                .isEqualTo(Map.of(
                        ServiceEntry.CLUSTER_IP, ips("10.96.0.10"),
                        ServiceEntry.EXTERNAL, ips("192.0.2.1"),
                        ServiceEntry.LOAD_BALANCER, ips("192.0.2.2")));
        assertThat(portal.nodePort()).isEqualTo(30080);
        assertThat(portal.endpoints().cluster()).containsExactly(endpoint("10.244.0.5:8080"));
        assertThat(plan.unserved()).isEmpty();
    }

    @Test
    void leavesOutSctpAndKeepsFamiliesApart() {
        ServicePortName sctp = new ServicePortName(new NamespacedName("ns", "sig"), "s", Protocol.SCTP);
        ServicePortName dns = new ServicePortName(new NamespacedName("ns", "dns"), "dns", Protocol.UDP);
        ServiceSnapshots snapshots = new ServiceSnapshots()
                .add(new ServicePort(sctp, ips("10.96.0.54"), 53, 0, List.of(), List.of()))
                .add(new ServicePort(dns, ips("10.96.0.53"), 53, 0, List.of(), List.of()))
                .add(new ServicePort(name("dual"), ips("fd00::1", "10.96.0.1"), 80, 0, ips("fd00::2"), List.of()))
                .add(new ServicePort(name("v6"), ips("fd00::3"), 80, 30080, List.of(), List.of()));
        PortalPlan ipv4 = plan(snapshots);
        assertThat(ipv4.portals()).extracting(Portal::name).containsExactly(dns, name("dual"));
        assertThat(ipv4.portals().get(1).addresses(ServiceEntry.EXTERNAL)).isEmpty();
        assertThat(ipv4.unserved()).isEqualTo(Map.of(sctp, "protocol: SCTP (expected: TCP or UDP)"));
        PortalPlan ipv6 = PortalPlan.of(snapshots.build(), "node-a", IpFamily.IPV6);
        assertThat(ipv6.portals()).extracting(Portal::name).containsExactly(name("dual"), name("v6"));
        assertThat(ipv6.portals().get(0).addresses(ServiceEntry.CLUSTER_IP)).isEqualTo(ips("fd00::1"));
        assertThat(ipv6.portals().get(0).addresses(ServiceEntry.EXTERNAL)).isEqualTo(ips("fd00::2"));
        assertThat(ipv6.unserved()).isEmpty();
    }

    @Test
    void givesAnAddressOrNodePortToOneOwnerOfEachProtocol() {
        ServicePortName udp = new ServicePortName(new NamespacedName("ns", "d"), "dns", Protocol.UDP);
        PortalPlan plan = plan(new ServiceSnapshots()
                .add(new ServicePort(name("a"), ips("10.96.0.1"), 80, 30080, ips("192.0.2.1"), List.of()))
                .add(new ServicePort(name("b"), ips("10.96.0.2"), 80, 0, ips("192.0.2.1"), List.of()))
                .add(new ServicePort(name("c"), ips("10.96.0.3"), 81, 30080, ips("192.0.2.1"), List.of()))
                .add(new ServicePort(udp, ips("10.96.0.4"), 80, 30080, ips("192.0.2.1"), List.of())));
        assertThat(plan.portals().get(1).addresses(ServiceEntry.EXTERNAL)).isEmpty();
        assertThat(plan.portals().get(2).addresses(ServiceEntry.EXTERNAL)).isEqualTo(ips("192.0.2.1"));
        assertThat(plan.portals().get(2).nodePort()).isZero();
        assertThat(plan.portals().get(3).addresses(ServiceEntry.EXTERNAL)).isEqualTo(ips("192.0.2.1"));
        assertThat(plan.portals().get(3).nodePort()).isEqualTo(30080);
        assertThat(plan.unserved())
                .isEqualTo(Map.of(
                        name("b"), "192.0.2.1:80 (taken by ns/a:http)",
                        name("c"), "nodePort: 30080 (taken by ns/a:http)"));
    }

    /** An author of a Service may name any external IP, even another Service's cluster IP. */
    @Test
    void nobodyTakesAClusterIpOrLoadBalancerIpByAnExternalIp() {
        ServiceSnapshots snapshots = new ServiceSnapshots()
                .add(new ServicePort(name("aaa"), ips("10.96.0.1"), 80, 0, ips("10.96.0.10", "192.0.2.1"), List.of()))
                .add(new ServicePort(name("lb"), ips("10.96.0.2"), 80, 0, List.of(), ips("192.0.2.1")))
                .add(new ServicePort(name("web"), ips("10.96.0.10"), 80, 0, List.of(), List.of()));
        PortalPlan plan = plan(snapshots);
        assertThat(plan.portals().get(0).addresses(ServiceEntry.EXTERNAL)).isEmpty();
        assertThat(plan.portals().get(1).addresses(ServiceEntry.LOAD_BALANCER)).isEqualTo(ips("192.0.2.1"));
        assertThat(plan.portals().get(2).addresses(ServiceEntry.CLUSTER_IP)).isEqualTo(ips("10.96.0.10"));
        assertThat(plan.unserved()).containsOnlyKeys(name("aaa"));
    }

    @Test
    void servesAWayOnlyIfItsPolicyLeavesAnEndpoint() {
        Endpoint here = endpoint("10.244.0.5:8080");
        Endpoint there = Endpoint.ready(IpAddress.parse("10.244.1.5"), 8080, "node-b");
        // Internal policy, external policy, endpoint; served clients: of the cluster IP, from outside.
        assertServes(TrafficPolicy.CLUSTER, TrafficPolicy.CLUSTER, there, true, true);
        assertServes(TrafficPolicy.LOCAL, TrafficPolicy.CLUSTER, there, false, true);
        assertServes(TrafficPolicy.LOCAL, TrafficPolicy.CLUSTER, here, true, true);
        // Pods and this node go to the whole cluster also then.
        assertServes(TrafficPolicy.CLUSTER, TrafficPolicy.LOCAL, there, true, true);
        assertServes(TrafficPolicy.LOCAL, TrafficPolicy.LOCAL, there, false, true);
    }

    /** Names and addresses are few, so that owners change all the time. */
    @Test
    void followsChangesAsAPlanOfAllWouldBe() {
        long seed = new Random().nextLong();
        System.out.println("seed of the plans: " + seed);
        Random random = new Random(seed);
        Map<String, ServicePort> services = new HashMap<>();
        PortalPlan followed = new PortalPlan("node-a", IpFamily.IPV4);
        for (int i = 0; i < 500; i++) {
            Set<ServicePortName> changed = new HashSet<>();
            for (int k = random.nextInt(3); k >= 0; k--) {
                String name = "svc-" + random.nextInt(6);
                changed.add(name(name));
                if (random.nextInt(4) == 0) {
                    services.remove(name);
                } else {
                    services.put(name, random(name, random));
                }
            }
            ServiceSnapshots snapshots = new ServiceSnapshots();
            services.values().forEach(service -> snapshots.add(service, endpoint("10.244.0.5:8080")));
            Map<ServicePortName, Portal> before = byName(followed.portals());
            List<PortalChange> changes = followed.update(snapshots.build(), changed);
            PortalPlan whole = plan(snapshots);
            assertThat(followed.portals()).isEqualTo(whole.portals());
            assertThat(followed.unserved().keySet()).isEqualTo(whole.unserved().keySet());
            changes.forEach(change -> {
                assertThat(change.before()).isEqualTo(before.remove(change.key().name()));
                assertThat(change.after()).isNotEqualTo(change.before());
            });
            before.values().forEach(same -> assertThat(followed.portals()).contains(same));
        }
    }

    private static ServicePort random(String name, Random random) {
        return new ServicePort(
                name(name),
                ips("10.96.0." + random.nextInt(5)),
                80 + random.nextInt(2),
                random.nextBoolean() ? 0 : 30080 + random.nextInt(3),
                random.nextBoolean() ? List.of() : ips("192.0.2." + random.nextInt(3)),
                random.nextBoolean() ? List.of() : ips("192.0.2." + random.nextInt(3)));
    }

    private static Map<ServicePortName, Portal> byName(List<Portal> portals) {
        Map<ServicePortName, Portal> named = new HashMap<>();
        portals.forEach(portal -> named.put(portal.name(), portal));
        return named;
    }

    private static void assertServes(
            TrafficPolicy internal, TrafficPolicy external, Endpoint endpoint, boolean clusterIp, boolean outside) {
        ServicePolicy policy = new ServicePolicy(ServiceType.NODE_PORT, internal, external, 0, List.of(), 0);
        ServicePort service =
                new ServicePort(name("web"), ips("10.96.0.10"), 80, 30080, ips("192.0.2.1"), List.of(), policy);
        Portal portal =
                plan(new ServiceSnapshots().add(service, endpoint)).portals().get(0);
        assertThat(portal.serves(ServiceEntry.CLUSTER_IP))
                .as("cluster IP of " + policy)
                .isEqualTo(clusterIp);
        assertThat(portal.serves(ServiceEntry.EXTERNAL))
                .as("outside of " + policy)
                .isEqualTo(outside);
        Portal empty = plan(new ServiceSnapshots().add(service)).portals().get(0);
        assertThat(empty.serves(ServiceEntry.CLUSTER_IP) || empty.serves(ServiceEntry.EXTERNAL))
                .isFalse();
    }

    private static PortalPlan plan(ServiceSnapshots snapshots) {
        return PortalPlan.of(snapshots.build(), "node-a", IpFamily.IPV4);
    }
}
