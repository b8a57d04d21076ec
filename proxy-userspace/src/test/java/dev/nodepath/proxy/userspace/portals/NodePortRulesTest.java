package dev.nodepath.proxy.userspace.portals;

import static dev.nodepath.proxy.userspace.ServiceSnapshots.endpoint;
import static dev.nodepath.proxy.userspace.ServiceSnapshots.ips;
import static org.assertj.core.api.Assertions.assertThat;

import dev.nodepath.endpoints.Endpoint;
import dev.nodepath.endpoints.NamespacedName;
import dev.nodepath.endpoints.Protocol;
import dev.nodepath.endpoints.ServicePort;
import dev.nodepath.endpoints.ServicePortName;
import dev.nodepath.linux.address.IpFamily;
import dev.nodepath.linux.iptables.RestoreText;
import dev.nodepath.proxy.userspace.ServiceSnapshots;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class NodePortRulesTest {
    /** The chain, its rules and the hook. */
    private static final String TEXT = """
        *filter
        :KUBE-NODEPORT-NON-LOCAL - [0:0]
        %s-I INPUT 1 -m comment --comment "Ensure that non-local NodePort traffic can flow" -j KUBE-NODEPORT-NON-LOCAL
        COMMIT
        """;

    private static final Endpoint ENDPOINT = endpoint("10.244.0.5:8080");

    /** TCP at port 40000; UDP at 50000 and on, a port for each kind of address. */
    private static final PortalPorts PORTS = (portal, entry) -> portal.protocol() == Protocol.TCP
            ? 40_000
            : 50_000 + 10 * portal.nodePort() + (entry == ServiceEntry.EXTERNAL ? 1 : 0);

    private final NodePortRules rules = new NodePortRules();

    @Test
    void theHookStandsEvenWithoutServices() {
        assertThat(all()).isEqualTo(TEXT.formatted(""));
    }

    @Test
    void acceptsEachPortOfTheRelayOnce() {
        assertThat(all(
                        portal("a", Protocol.TCP, 1, ENDPOINT),
                        portal("b", Protocol.TCP, 2, ENDPOINT),
                        portal("c", Protocol.UDP, 3, ENDPOINT),
                        portal("without-node-port", Protocol.UDP, 0, ENDPOINT),
                        portal("without-endpoints", Protocol.UDP, 5),
                        portal("d", Protocol.UDP, 4, ENDPOINT)))
                .isEqualTo(TEXT.formatted("""
                    -A KUBE-NODEPORT-NON-LOCAL -m comment --comment "service NodePorts" -p tcp -m tcp --dport 40000 -m conntrack --ctstate NEW -j ACCEPT
                    -A KUBE-NODEPORT-NON-LOCAL -m comment --comment "service NodePorts" -p udp -m udp --dport 50031 -m conntrack --ctstate NEW -j ACCEPT
                    -A KUBE-NODEPORT-NON-LOCAL -m comment --comment "service NodePorts" -p udp -m udp --dport 50041 -m conntrack --ctstate NEW -j ACCEPT
                    """));
    }

    @Test
    void followsThoseWhoNeedAPort() {
        Portal web = portal("web", Protocol.TCP, 1, ENDPOINT);
        Portal api = portal("api", Protocol.TCP, 2, ENDPOINT);
        Portal dns = portal("dns", Protocol.UDP, 3, ENDPOINT);
        Portal moved = portal("dns", Protocol.UDP, 4, ENDPOINT);
        assertThat(change(null, web)).containsExactly("+TCP 40000");
        assertThat(change(null, api)).as("another user").isEmpty();
        assertThat(change(null, dns)).containsExactly("+UDP 50031");
        assertThat(change(dns, portal("dns", Protocol.UDP, 3, endpoint("10.244.0.6:8080"))))
                .as("another endpoint")
                .isEmpty();
        assertThat(change(dns, moved)).containsExactly("+UDP 50041", "-UDP 50031");
        assertThat(change(moved, portal("dns", Protocol.UDP, 4))).containsExactly("-UDP 50041");
        assertThat(change(web, null)).as("one user is left").isEmpty();
        assertThat(change(api, portal("api", Protocol.TCP, 0, ENDPOINT))).containsExactly("-TCP 40000");
    }

    /** One leaves the port in the moment when another takes it. */
    @Test
    void aPortThatChangesHandsStays() {
        Portal web = portal("web", Protocol.TCP, 1, ENDPOINT);
        assertThat(all(web)).contains("--dport 40000");
        assertThat(rules.update(
                        PORTS,
                        List.of(
                                new PortalChange(web, null),
                                new PortalChange(null, portal("api", Protocol.TCP, 2, ENDPOINT)))))
                .isEmpty();
    }

    private String all(Portal... portals) {
        return RestoreText.complete(rules.all(PORTS, List.of(portals)));
    }

    /** Added and removed rules. */
    private List<String> change(@Nullable Portal before, @Nullable Portal after) {
        return rules.update(PORTS, List.of(new PortalChange(before, after))).entrySet().stream()
                .map(each -> (each.getValue().isPresent() ? "+" : "-") + each.getKey())
                .sorted()
                .toList();
    }

    private static Portal portal(String name, Protocol protocol, int nodePort, Endpoint... endpoints) {
        ServicePortName port = new ServicePortName(new NamespacedName("ns", name), "port", protocol);
        ServicePort service = new ServicePort(port, ips("10.96.0.10"), 80, nodePort, List.of(), List.of());
        return PortalPlan.of(new ServiceSnapshots().add(service, endpoints).build(), "node-a", IpFamily.IPV4)
                .portals()
                .get(0);
    }
}
