package dev.nodepath.endpoints.source;

import static org.assertj.core.api.Assertions.assertThat;

import dev.nodepath.endpoints.EndpointSlice;
import dev.nodepath.endpoints.NamespacedName;
import dev.nodepath.endpoints.Protocol;
import dev.nodepath.endpoints.Service;
import dev.nodepath.endpoints.ServicePolicy;
import dev.nodepath.endpoints.ServicePort;
import dev.nodepath.endpoints.TopologyHints;
import dev.nodepath.linux.address.IpAddress;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class ManifestReaderTest {
    static final String WEB = """
            apiVersion: v1
            kind: Service
            metadata:
              name: web
            spec:
              type: NodePort
              clusterIP: 10.96.0.10
              clusterIPs: [10.96.0.10, "fd00::10"]
              externalIPs: [192.0.2.7]
              ports:
              - {name: http, port: 80, targetPort: http, nodePort: 30080}
              - {name: dns, port: 53, protocol: UDP}
            status:
              loadBalancer:
                ingress:
                - ip: 198.51.100.1
                - {ip: 198.51.100.2, ipMode: Proxy}
                - hostname: lb.example.com
            """;
    static final String SLICE = """
            apiVersion: discovery.k8s.io/v1
            kind: EndpointSlice
            metadata:
              name: web-1
              labels: {kubernetes.io/service-name: web}
              annotations:
                endpoints.kubernetes.io/last-change-trigger-time: "2026-01-02T03:04:05.678901234+01:00"
            addressType: IPv4
            ports:
            - {name: http, port: 8080}
            - {port: 53, protocol: UDP}
            - {name: any}
            endpoints:
            - {addresses: [10.244.0.2, 10.244.0.9], nodeName: n1}
            - {addresses: [10.244.0.3], conditions: {ready: null, serving: null, terminating: null}}
            - {addresses: [10.244.0.4], conditions: {ready: false}}
            - {addresses: [10.244.0.5], conditions: {ready: false, serving: true, terminating: true}}
            """;

    @TempDir
    Path folder;

    @Test
    void readsEverythingAProxyNeedsOfAService() throws Exception {
        Service service = read(WEB).cluster().services().get(0);

        assertThat(service.name()).hasToString("default/web");
        assertThat(service.ports())
                .extracting(port -> port.name().toString())
                .containsExactly("default/web:http", "default/web:dns");
        assertThat(service.ports()).extracting(port -> port.protocol()).containsExactly(Protocol.TCP, Protocol.UDP);
        assertThat(service.ports()).extracting(port -> port.nodePort()).containsExactly(30080, 0);
        assertThat(service.ports()).allSatisfy(port -> {
            assertThat(port.clusterIps()).extracting(IpAddress::toString).containsExactly("10.96.0.10", "fd00::10");
            assertThat(port.externalIps()).extracting(IpAddress::toString).containsExactly("192.0.2.7");
            assertThat(port.loadBalancerIps()).extracting(IpAddress::toString).containsExactly("198.51.100.1");
        });
    }

    @Test
    void anObjectReadsTheSameAsJson() throws Exception {
        Manifests manifests = read(WEB + "---\n" + SLICE);
        List<String> lines = manifests.objects().stream()
                .map(object -> object.json().toString())
                .toList();

        assertThat(lines).hasSize(2).allSatisfy(line -> assertThat(line).hasLineCount(1));
        assertThat(read(String.join("\n---\n", lines)).cluster()).isEqualTo(manifests.cluster());
    }

    @Test
    void readsAServiceThatAsksForNothing() throws Exception {
        String text =
                "{apiVersion: v1, kind: Service, metadata: {name: s}, spec: {%s clusterIP: 172.30.0.041, ports: [{port: 80}]}}";

        ServicePort plain =
                read(text.formatted("")).cluster().services().get(0).ports().get(0);
        ServicePort sticky = read(text.formatted("sessionAffinity: ClientIP,"))
                .cluster()
                .services()
                .get(0)
                .ports()
                .get(0);

        assertThat(plain.policy()).isEqualTo(ServicePolicy.DEFAULT);
        assertThat(plain.clusterIps()).hasToString("[172.30.0.41]");
        assertThat(sticky.policy().affinitySeconds()).isEqualTo(10800);
    }

    @Test
    void readsHintsOfEndpoints() throws Exception {
        String text = SLICE.replace(
                "nodeName: n1}", "nodeName: n1, hints: {forZones: [{name: a}, {name: b}], forNodes: [{name: n1}]}}");

        List<EndpointSlice.Address> addresses =
                read(text).cluster().slices().get(0).addresses();

        assertThat(addresses.get(0).state().hints()).isEqualTo(new TopologyHints(List.of("a", "b"), List.of("n1")));
        assertThat(addresses.get(1).state().hints()).isSameAs(TopologyHints.NONE);
    }

    @Test
    void readsPortsAndConditionsOfASlice() throws Exception {
        EndpointSlice slice = read(SLICE).cluster().slices().get(0);

        assertThat(slice.service()).isEqualTo(new NamespacedName("default", "web"));
        assertThat(slice.trigger()).contains(Instant.parse("2026-01-02T02:04:05.678901234Z"));
        assertThat(slice.ports())
                .containsExactly(
                        new EndpointSlice.Port("http", Protocol.TCP, 8080),
                        new EndpointSlice.Port("", Protocol.UDP, 53));
        assertThat(slice.addresses())
                .containsExactly(
                        address("10.244.0.2", "n1", true, true, false),
                        address("10.244.0.3", "", true, true, false),
                        address("10.244.0.4", "", false, true, false),
                        address("10.244.0.5", "", false, true, true));
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            {podCIDRs: [10.244.0.0/24, 'fd00::/64'], podCIDR: 10.244.0.0/24} | [10.244.0.0/24, fd00::/64]
            {podCIDR: 10.244.7.0/24}                                       | [10.244.7.0/24]
            {}                                                              | []
            """)
    void readsTheAddressesOfANode(String spec, String cidrs) throws Exception {
        var node = read("""
                apiVersion: v1
                kind: Node
                metadata: {name: n1, labels: {topology.kubernetes.io/zone: a}}
                spec: %s
                status:
                  addresses:
                  - {type: Hostname, address: n1}
                  - {type: InternalIP, address: 172.30.0.1}
                  - {type: InternalIP, address: "fd00:30::1"}
                """.formatted(spec)).cluster().nodes().get(0);

        assertThat(node.name()).isEqualTo("n1");
        assertThat(node.zone()).isEqualTo("a");
        assertThat(node.addresses()).hasToString("[172.30.0.1, fd00:30::1]");
        assertThat(node.podCidrs()).hasToString(cidrs);
    }

    /** kube-proxy looks at external addresses for a family without an internal one. */
    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            {type: ExternalIP, address: 192.0.2.9}, {type: InternalIP, address: 172.30.0.1} | [172.30.0.1]
            {type: ExternalIP, address: 'fd00::9'}, {type: InternalIP, address: 172.30.0.1} | [172.30.0.1, fd00::9]
            {type: ExternalIP, address: 192.0.2.9}, {type: ExternalIP, address: 192.0.2.8}  | [192.0.2.9]
            {type: Hostname, address: n1}                                                   | []
            """)
    void readsExternalAddressesWhereThereIsNoInternalOne(String addresses, String read) throws Exception {
        var node = read("{apiVersion: v1, kind: Node, metadata: {name: n1}, status: {addresses: [" + addresses + "]}}")
                .cluster()
                .nodes()
                .get(0);

        assertThat(node.addresses()).hasToString(read);
    }

    /** As the label selectors of kube-proxy's watches. */
    @Test
    void leavesOutServicesOfOtherProxies() throws Exception {
        Manifests manifests = read("""
                apiVersion: v1
                kind: Service
                metadata: {name: other, labels: {service.kubernetes.io/service-proxy-name: mesh}}
                spec: {clusterIP: 10.96.0.1, ports: [{port: 80}]}
                ---
                apiVersion: v1
                kind: Service
                metadata: {name: headless, labels: {service.kubernetes.io/headless: ""}}
                spec: {clusterIP: 10.96.0.2, ports: [{port: 80}]}
                ---
                apiVersion: discovery.k8s.io/v1
                kind: EndpointSlice
                metadata:
                  name: headless-1
                  labels: {kubernetes.io/service-name: headless, service.kubernetes.io/headless: ""}
                addressType: IPv4
                endpoints: [{addresses: [10.244.1.2]}]
                ---
                apiVersion: v1
                kind: Service
                metadata: {name: ours, labels: {app: web}}
                spec: {clusterIP: 10.96.0.3, ports: [{port: 80}]}
                """);

        assertThat(manifests.cluster().services())
                .extracting(service -> service.name().name())
                .containsExactly("ours");
        assertThat(manifests.cluster().slices()).isEmpty();
        assertThat(manifests.objects()).hasSize(4);
    }

    @ParameterizedTest
    @CsvSource({"IPv4, IPv6, FQDN", "kubernetes.io/service-name, IPv4, other-label"})
    void slicesThatNoProxyUsesAreLeftOut(String from, String ignored, String to) throws Exception {
        String text =
                from.equals("IPv4") ? SLICE.replace("addressType: IPv4", "addressType: FQDN") : SLICE.replace(from, to);

        assertThat(read(text).cluster().slices()).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {"dual-stack", "headless-and-external-name", "two-slices-duplicate"})
    void readsWhatAnApiServerWrote(String recording) throws Exception {
        Manifests manifests = ManifestReader.check(ManifestReader.objects(List.of(resource(recording))));

        assertThat(manifests.cluster().services())
                .anyMatch(service -> service.name().toString().equals("default/kubernetes"));
        assertThat(manifests.cluster().nodes()).hasSize(1);
        assertThat(manifests.objects("Service"))
                .hasSameSizeAs(manifests.cluster().services());
    }

    @Test
    void readsDocumentsListsAndTypedListsAlike() throws Exception {
        String text = """
                # first comes a comment
                ---
                {apiVersion: v1, kind: Pod, metadata: {name: a, namespace: x}}
                ---
                ---
                apiVersion: v1
                kind: List
                items:
                - {apiVersion: v1, kind: Pod, metadata: {name: b}}
                - {apiVersion: v1, kind: PodList, items: [{metadata: {name: c}}]}
                ---
                {apiVersion: example.com/v1, kind: Pod, metadata: {name: notOurs}}
                ---
                {apiVersion: kubeproxy.config.k8s.io/v1alpha1, kind: KubeProxyConfiguration}
                ---
                {apiVersion: example.com/v1, kind: AllowList, metadata: {name: a}, items: [10.0.0.1]}
                """;

        Manifests manifests = read(text);

        assertThat(manifests.objects("Pod"))
                .extracting(ManifestObject::toString)
                .containsExactly("Pod x/a", "Pod default/b", "Pod default/c");
        assertThat(manifests.objects()).hasSize(6);
        assertThat(manifests.objects("Pod").get(2).json().toString())
                .contains("\"apiVersion\":\"v1\"", "\"kind\":\"Pod\"");
    }

    @Test
    void readsListsOfPoliciesAsAnApiServerWritesThem() throws Exception {
        Manifests manifests = read("""
                apiVersion: networking.k8s.io/v1
                kind: NetworkPolicyList
                items: [{metadata: {name: a, namespace: x}}]
                ---
                apiVersion: policy.networking.k8s.io/v1alpha2
                kind: ClusterNetworkPolicyList
                items: [{metadata: {name: b}}]
                """);

        assertThat(manifests.objects())
                .extracting(ManifestObject::toString)
                .containsExactly("NetworkPolicy x/a", "ClusterNetworkPolicy b");
    }

    @Test
    void readsFoldersByNameAndEachFileOnce() throws Exception {
        write("b.yaml", "{apiVersion: v1, kind: Pod, metadata: {name: b}}");
        write("a.json", "{\"apiVersion\":\"v1\",\"kind\":\"Pod\",\n\t\"metadata\":{\"name\":\"a\"}}\n");
        write("c.yml", "{apiVersion: v1, kind: Pod, metadata: {name: c}}");
        write(".hidden.yaml", "{broken");
        write("readme.txt", "{broken");
        write("sub.yaml/nested.yaml", "{broken");

        Manifests manifests = ManifestReader.check(ManifestReader.objects(List.of(folder, folder.resolve("b.yaml"))));

        assertThat(manifests.objects("Pod")).extracting(ManifestObject::name).containsExactly("a", "b", "c");
    }

    @Test
    void objectsOfOneNameInTwoNamespacesAreTwo() throws Exception {
        Manifests manifests = read(WEB + "---\n" + WEB.replace("name: web", "name: web\n  namespace: other"));

        assertThat(manifests.cluster().services())
                .extracting(service -> service.name().toString())
                .containsExactly("default/web", "other/web");
    }

    private Manifests read(String text) throws IOException, ManifestException {
        return ManifestReader.check(ManifestReader.objects(List.of(write("web.yaml", text))));
    }

    private Path write(String name, String text) throws IOException {
        Path file = folder.resolve(name);
        Files.createDirectories(file.getParent());
        return Files.writeString(file, text);
    }

    private static Path resource(String recording) throws Exception {
        return Path.of(ManifestReaderTest.class
                .getResource("/recordings/" + recording + ".json")
                .toURI());
    }

    private static EndpointSlice.Address address(
            String ip, String node, boolean ready, boolean serving, boolean terminating) {
        return new EndpointSlice.Address(IpAddress.parse(ip), node, ready, serving, terminating);
    }
}
