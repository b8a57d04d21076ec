package dev.nodepath.apiserver.rules;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.nodepath.apiserver.Deletion;
import dev.nodepath.apiserver.resource.ObjectKey;
import dev.nodepath.apiserver.resource.Resources;
import java.util.HashSet;
import java.util.Set;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

class AllocationTest {
    private static final String PORT = "ports: [{port: 80}]";

    @Test
    void leavesTheLowestAddressesToThoseWhoAsk() {
        RuledCluster cluster = new RuledCluster(1, "10.96.0.0/24");
        Set<Integer> last = new HashSet<>();
        for (int i = 0; i < 254 - 16; i++) {
            String address = create(cluster, "s" + i, PORT).path("clusterIP").asText();
            last.add(Integer.parseInt(address.substring("10.96.0.".length())));
        }
        assertThat(last).hasSize(254 - 16).allMatch(each -> each > 16 && each < 255);
        assertThat(create(cluster, "low", PORT).path("clusterIP").asText()).matches("10\\.96\\.0\\.([2-9]|1[0-6])");
        assertThat(create(cluster, "asks", "clusterIP: 10.96.0.254, " + PORT.replace("80", "81"), "10.96.0.254"))
                .contains("provided IP is already allocated");
    }

    @Test
    void leavesTheLowestNodePortsToThoseWhoAsk() {
        RuledCluster cluster = new RuledCluster();
        for (int i = 0; i < 200; i++) {
            JsonNode spec = create(cluster, "s" + i, "type: NodePort, " + PORT);
            assertThat(spec.path("ports").path(0).path("nodePort").asInt()).isBetween(30_086, 32_767);
        }
    }

    @Test
    void portsOfOneNumberShareANodePort() {
        JsonNode ports = create(
                        new RuledCluster(),
                        "dns",
                        "type: NodePort, ports: [{name: a, port: 53, protocol: UDP}, {name: b, port: 53}, {name: c, port: 54}]")
                .path("ports");
        assertThat(ports.path(0).path("nodePort")).isEqualTo(ports.path(1).path("nodePort"));
        assertThat(ports.path(0).path("nodePort")).isNotEqualTo(ports.path(2).path("nodePort"));
    }

    @Test
    void givesAnAddressOfEachFamily() {
        RuledCluster cluster = new RuledCluster(1, "10.96.0.0/16", "fd00:96::/112");
        JsonNode spec = create(cluster, "both", "ipFamilyPolicy: PreferDualStack, " + PORT);
        assertThat(spec.path("ipFamilies").toString()).isEqualTo("[\"IPv4\",\"IPv6\"]");
        assertThat(spec.path("clusterIPs").path(0).asText()).startsWith("10.96.");
        assertThat(spec.path("clusterIPs").path(1).asText()).startsWith("fd00:96::");
        JsonNode six = create(cluster, "six", "ipFamilies: [IPv6], ipFamilyPolicy: RequireDualStack, " + PORT);
        assertThat(six.path("clusterIP").asText()).startsWith("fd00:96::");
        assertThat(six.path("ipFamilies").toString()).isEqualTo("[\"IPv6\",\"IPv4\"]");
    }

    @Test
    void addsAndReleasesTheSecondFamily() {
        RuledCluster cluster = new RuledCluster(1, "10.96.0.0/16", "fd00:96::/112");
        String first = create(cluster, "a", PORT).path("clusterIP").asText();
        JsonNode both = update(cluster, "a", spec -> spec.put("ipFamilyPolicy", "RequireDualStack"));
        assertThat(both.path("clusterIPs").size()).isEqualTo(2);
        assertThat(both.path("clusterIP").asText()).isEqualTo(first);
        String second = both.path("clusterIPs").path(1).asText();
        JsonNode one = update(cluster, "a", spec -> spec.put("ipFamilyPolicy", "SingleStack"));
        assertThat(one.path("clusterIPs").toString()).isEqualTo("[\"" + first + "\"]");
        assertThat(create(cluster, "b", "clusterIP: '" + second + "', " + PORT, second))
                .isEmpty();
    }

    @Test
    void keepsWhatAnUpdateLeavesOut() {
        RuledCluster cluster = new RuledCluster();
        JsonNode before = create(cluster, "a", "type: NodePort, " + PORT);
        ObjectNode update = service("a", "type: NodePort, ports: [{name: x, port: 80}, {name: y, port: 81}]");
        JsonNode after = cluster.api().update(Resources.SERVICES, update).path("spec");
        assertThat(after.path("clusterIPs")).isEqualTo(before.path("clusterIPs"));
        assertThat(after.path("ports").path(0).path("nodePort"))
                .isEqualTo(before.path("ports").path(0).path("nodePort"));
    }

    @Test
    void freesWhatAnotherTypeHasNot() {
        RuledCluster cluster = new RuledCluster();
        JsonNode before = create(cluster, "a", "type: NodePort, " + PORT);
        update(cluster, "a", spec -> spec.put("type", "ExternalName").put("externalName", "a.b"));
        String address = before.path("clusterIP").asText();
        int port = before.path("ports").path(0).path("nodePort").asInt();
        assertThat(create(
                        cluster,
                        "b",
                        "type: NodePort, clusterIP: " + address + ", ports: [{port: 80, nodePort: " + port + "}]",
                        address))
                .isEmpty();
    }

    @Test
    void freesWhatADeletedServiceHad() {
        RuledCluster cluster = new RuledCluster();
        String address = create(cluster, "a", PORT).path("clusterIP").asText();
        cluster.api().delete(Resources.SERVICES, new ObjectKey("default", "a"), Deletion.NOW);
        assertThat(create(cluster, "b", "clusterIP: " + address + ", " + PORT, address))
                .isEmpty();
    }

    @Test
    void takesAddressesOfANewRange() {
        RuledCluster cluster = new RuledCluster(1, "10.96.0.0/30");
        create(cluster, "a", PORT);
        assertThat(RuledCluster.complaints(() -> create(cluster, "b", PORT)))
                .isEqualTo("500 Internal error occurred: failed to allocate a serviceIP: range is full");
        cluster.create("""
                {apiVersion: networking.k8s.io/v1, kind: ServiceCIDR, metadata: {name: more}, spec: {cidrs: [10.97.0.0/24]}}
                """);
        assertThat(create(cluster, "b", PORT).path("clusterIP").asText()).startsWith("10.97.0.");
    }

    @Test
    void givesALoadBalancerAPortForItsHealth() {
        RuledCluster cluster = new RuledCluster();
        JsonNode spec = create(cluster, "a", "type: LoadBalancer, externalTrafficPolicy: Local, " + PORT);
        assertThat(spec.path("healthCheckNodePort").asInt()).isBetween(30_086, 32_767);
        JsonNode second = update(cluster, "a", each -> each.put("externalTrafficPolicy", "Cluster"));
        assertThat(second.has("healthCheckNodePort")).isFalse();
    }

    private static JsonNode create(RuledCluster cluster, String name, String spec) {
        return cluster.api().create(Resources.SERVICES, service(name, spec)).path("spec");
    }

    /** The complaints of a creation; empty if the Service has this address. */
    private static String create(RuledCluster cluster, String name, String spec, String address) {
        return RuledCluster.complaints(() -> assertThat(
                        create(cluster, name, spec).path("clusterIPs").path(0).asText())
                .isEqualTo(address));
    }

    private static JsonNode update(RuledCluster cluster, String name, Consumer<ObjectNode> change) {
        return cluster.api()
                .modify(Resources.SERVICES, new ObjectKey("default", name), "", before -> {
                    change.accept(before.withObjectProperty("spec"));
                    return before;
                })
                .path("spec");
    }

    private static ObjectNode service(String name, String spec) {
        return RuledCluster.yaml("{apiVersion: v1, kind: Service, metadata: {namespace: default, name: " + name
                + "}, spec: {" + spec + "}}");
    }
}
