package dev.nodepath.proxy.userspace;

import static dev.nodepath.proxy.userspace.Snapshots.endpoint;
import static dev.nodepath.proxy.userspace.Snapshots.ips;
import static dev.nodepath.proxy.userspace.Snapshots.name;
import static org.assertj.core.api.Assertions.assertThat;

import dev.nodepath.endpoints.Endpoint;
import dev.nodepath.endpoints.NamespacedName;
import dev.nodepath.endpoints.Protocol;
import dev.nodepath.endpoints.ServicePolicy;
import dev.nodepath.endpoints.ServicePort;
import dev.nodepath.endpoints.ServicePortName;
import dev.nodepath.endpoints.ServiceType;
import dev.nodepath.endpoints.TrafficPolicy;
import dev.nodepath.linux.IpAddress;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class PortalPlanTest {
    @Test
    void takesEveryAddressOnceAndOnlyReadyEndpoints() {
        Endpoint unready = new Endpoint(IpAddress.parse("10.244.0.6"), 8080, "node-a", false, true, true);
        PortalPlan plan = PortalPlan.of(
                new Snapshots()
                        .add(
                                new ServicePort(
                                        name("web"),
                                        ips("10.96.0.10"),
                                        80,
                                        30080,
                                        ips("192.0.2.1"),
                                        ips("192.0.2.1", "192.0.2.2")),
                                endpoint("10.244.0.5:8080"),
                                unready)
                        .build(),
                "node-a");
        assertThat(plan.portals())
                .containsExactly(new Portal(
                        new Portal.Key(name("web"), false),
                        List.of(
                                new Destination(IpAddress.parse("10.96.0.10"), 80),
                                new Destination(IpAddress.parse("192.0.2.1"), 80),
                                new Destination(IpAddress.parse("192.0.2.2"), 80)),
                        30080,
                        List.of(endpoint("10.244.0.5:8080"))));
        assertThat(plan.unserved()).isEmpty();
    }

    @Test
    void leavesOutOtherProtocolsAndIpv6() {
        ServicePortName dns = new ServicePortName(new NamespacedName("ns", "dns"), "dns", Protocol.UDP);
        PortalPlan plan = PortalPlan.of(
                new Snapshots()
                        .add(new ServicePort(dns, ips("10.96.0.53"), 53, 0, List.of(), List.of()))
                        .add(new ServicePort(
                                name("dual"), ips("fd00::1", "10.96.0.1"), 80, 0, ips("fd00::2"), List.of()))
                        .add(new ServicePort(name("v6"), ips("fd00::3"), 80, 30080, List.of(), List.of()))
                        .build(),
                "node-a");
        assertThat(plan.portals()).extracting(Portal::name).containsExactly(name("dual"));
        assertThat(plan.portals().get(0).addresses()).hasToString("[10.96.0.1:80]");
        assertThat(plan.unserved())
                .isEqualTo(Map.of(
                        dns,
                        "protocol: UDP (expected: TCP)",
                        name("dual"),
                        "clusterIPs: fd00::1 (expected: IPv4)",
                        name("v6"),
                        "clusterIPs: fd00::3 (expected: IPv4)"));
    }

    @Test
    void givesAnAddressOrNodePortToOneOwner() {
        PortalPlan plan = PortalPlan.of(
                new Snapshots()
                        .add(new ServicePort(name("a"), ips("10.96.0.1"), 80, 30080, ips("192.0.2.1"), List.of()))
                        .add(new ServicePort(name("b"), ips("10.96.0.2"), 80, 0, ips("192.0.2.1"), List.of()))
                        .add(new ServicePort(name("c"), ips("10.96.0.3"), 81, 30080, ips("192.0.2.1"), List.of()))
                        .build(),
                "node-a");
        assertThat(plan.portals().get(1).addresses()).hasToString("[10.96.0.2:80]");
        assertThat(plan.portals().get(2).addresses()).hasToString("[10.96.0.3:81, 192.0.2.1:81]");
        assertThat(plan.portals().get(2).nodePort()).isZero();
        assertThat(plan.unserved())
                .isEqualTo(Map.of(
                        name("b"), "192.0.2.1:80 (taken by ns/a:http)",
                        name("c"), "nodePort: 30080 (taken by ns/a:http)"));
    }

    @Test
    void keepsInternalTrafficOnTheNodeIfAskedTo() {
        ServicePolicy local =
                new ServicePolicy(ServiceType.NODE_PORT, TrafficPolicy.LOCAL, TrafficPolicy.CLUSTER, 0, List.of(), 0);
        ServicePort service =
                new ServicePort(name("web"), ips("10.96.0.10"), 80, 30080, ips("192.0.2.1"), List.of(), local);
        Endpoint here = endpoint("10.244.0.5:8080");
        Endpoint there = Endpoint.ready(IpAddress.parse("10.244.1.5"), 8080, "node-b");

        List<Portal> portals = PortalPlan.of(
                        new Snapshots().add(service, here, there).build(), "node-a")
                .portals();

        assertThat(portals)
                .containsExactly(
                        new Portal(
                                new Portal.Key(name("web"), false),
                                List.of(new Destination(IpAddress.parse("10.96.0.10"), 80)),
                                0,
                                List.of(here)),
                        new Portal(
                                new Portal.Key(name("web"), true),
                                List.of(new Destination(IpAddress.parse("192.0.2.1"), 80)),
                                30080,
                                List.of(here, there)));
        assertThat(PortalPlan.of(new Snapshots().add(service, there).build(), "node-a")
                        .portals()
                        .get(0)
                        .hasEndpoints())
                .isFalse();
    }
}
