package dev.nodepath.endpoints.source.manifests;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.nodepath.endpoints.NamespacedName;
import dev.nodepath.endpoints.Protocol;
import dev.nodepath.endpoints.ServicePolicy;
import dev.nodepath.endpoints.ServicePort;
import dev.nodepath.endpoints.ServiceType;
import dev.nodepath.endpoints.TopologyHints;
import dev.nodepath.endpoints.TrafficPolicy;
import dev.nodepath.endpoints.tracker.EndpointSlice;
import dev.nodepath.endpoints.tracker.Service;
import dev.nodepath.linux.address.Cidr;
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
    private static final String WEB = """
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
    private static final String SLICE = """
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
        List<String> lines =
                manifests.objects().stream().map(ManifestObject::toJson).toList();

        assertThat(lines).hasSize(2).allSatisfy(line -> assertThat(line).hasLineCount(1));
        assertThat(read(String.join("\n---\n", lines)).cluster()).isEqualTo(manifests.cluster());
    }

    @Test
    void readsWhatAServiceAsksFor() throws Exception {
        ServicePolicy policy =
                read("""
                apiVersion: v1
                kind: Service
                metadata: {name: lb}
                spec:
                  type: LoadBalancer
                  clusterIP: 172.30.0.041
                  internalTrafficPolicy: Local
                  externalTrafficPolicy: Local
                  sessionAffinity: ClientIP
                  sessionAffinityConfig: {clientIP: {timeoutSeconds: 600}}
                  loadBalancerSourceRanges: [" 203.0.113.0/25", "192.168.007.9/24"]
                  healthCheckNodePort: 32000
                  ports: [{port: 80}]
                """).cluster().services().get(0).ports().get(0).policy();

        assertThat(policy)
                .isEqualTo(new ServicePolicy(
                        ServiceType.LOAD_BALANCER,
                        TrafficPolicy.LOCAL,
                        TrafficPolicy.LOCAL,
                        600,
                        List.of(Cidr.parse("203.0.113.0/25"), Cidr.parse("192.168.7.0/24")),
                        32000));
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
    void refusesAnAffinityOfMoreThanADay() {
        String text =
                "{apiVersion: v1, kind: Service, metadata: {name: s}, spec: {clusterIP: 10.96.0.1, sessionAffinity: ClientIP,"
                        + " sessionAffinityConfig: {clientIP: {timeoutSeconds: 86401}}}}";

        assertThatThrownBy(() -> read(text)).hasMessageEndingWith(": 86401 (expected: 1 to 86400)");
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
    @CsvSource(delimiter = '|', textBlock = """
            {name: n1}                                            | {}                                                | false
            {name: n1}                                            | {taints: [{key: ToBeDeletedByClusterAutoscaler}]} | true
            {name: n1}                                            | {taints: [{key: other, effect: NoSchedule}]}      | false
            {name: n1, deletionTimestamp: '2026-11-20T10:00:00Z'} | {}                                                | true
            """)
    void readsWhetherANodeIsLeaving(String metadata, String spec, boolean leaving) throws Exception {
        var node = read("{apiVersion: v1, kind: Node, metadata: " + metadata + ", spec: " + spec + "}")
                .cluster()
                .nodes()
                .get(0);

        assertThat(node.leaving()).isEqualTo(leaving);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{clusterIP: None, ports: [{port: 80}]}",
                "{clusterIPs: [None], ports: [{port: 80}]}",
                "{clusterIP: '', ports: [{port: 80}]}",
                "{ports: [{port: 80}]}",
                "{clusterIP: 10.96.0.1}",
                "{type: ExternalName, externalName: example.com}",
                "{type: ExternalName, clusterIP: 10.96.0.1, ports: [{port: 80}]}",
            })
    void aServiceWithNothingToProxyHasNoPorts(String spec) throws Exception {
        Manifests manifests = read("{apiVersion: v1, kind: Service, metadata: {name: s}, spec: " + spec + "}");

        assertThat(manifests.cluster().services())
                .singleElement()
                .satisfies(service -> assertThat(service.ports()).isEmpty());
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
        Manifests manifests = ManifestReader.read(resource(recording));

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
    }

    @Test
    void readsFoldersByNameAndEachFileOnce() throws Exception {
        write("b.yaml", "{apiVersion: v1, kind: Pod, metadata: {name: b}}");
        write("a.json", "{\"apiVersion\":\"v1\",\"kind\":\"Pod\",\n\t\"metadata\":{\"name\":\"a\"}}\n");
        write("c.yml", "{apiVersion: v1, kind: Pod, metadata: {name: c}}");
        write(".hidden.yaml", "{broken");
        write("readme.txt", "{broken");
        write("sub.yaml/nested.yaml", "{broken");

        Manifests manifests = ManifestReader.read(folder, folder.resolve("b.yaml"));

        assertThat(manifests.objects("Pod")).extracting(ManifestObject::name).containsExactly("a", "b", "c");
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '`', textBlock = """
            port: 80,      | port: 70000,    | document 1: Service default/web: spec.ports[0].port: 70000 (expected: 1 to 65535)
            port: 80,      | port: 0,        | document 1: Service default/web: spec.ports[0].port: 0 (expected: 1 to 65535)
            port: 80,      | port: "80",     | document 1: Service default/web: spec.ports[0].port: "80" (expected: 1 to 65535)
            port: 80,      | port: 99999999999999999999, | document 1: Service default/web: spec.ports[0].port: 99999999999999999999 (expected: 1 to 65535)
            port: 80,      | number: 80,     | document 1: Service default/web: spec.ports[0].port: missing (expected: 1 to 65535)
            nodePort: 30080 | nodePort: 65536 | document 1: Service default/web: spec.ports[0].nodePort: 65536 (expected: 0 to 65535)
            protocol: UDP  | protocol: udp   | document 1: Service default/web: spec.ports[1].protocol: "udp" (expected: TCP, UDP, SCTP)
            name: dns      | name: http      | document 1: Service default/web: spec.ports[1].name: "http" (expected: a name that no other port of the Service has)
            53, protocol: UDP | 80           | document 1: Service default/web: spec.ports[1].port: 80 (expected: a number that no other TCP port has)
            [10.96.0.10,   | [10.96.0,       | document 1: Service default/web: spec.clusterIPs[0]: "10.96.0" (expected: an IPv4 or IPv6 address)
            [192.0.2.7]    | [192.0.2.7000]  | document 1: Service default/web: spec.externalIPs[0]: "192.0.2.7000" (expected: an IPv4 or IPv6 address)
            [192.0.2.7]    | 192.0.2.7       | document 1: Service default/web: spec.externalIPs: "192.0.2.7" (expected: a list)
            ip: 198.51.100.1 | ip: lb        | document 1: Service default/web: status.loadBalancer.ingress[0].ip: "lb" (expected: an IPv4 or IPv6 address)
            type: NodePort | type: Port      | document 1: Service default/web: spec.type: "Port" (expected: ClusterIP, NodePort, LoadBalancer, ExternalName)
            name: web      | name: We.b      | document 1: Service default/We.b: metadata.name: "We.b" (expected: a DNS label: at most 63 of a-z, 0-9 and -)
            name: web      | name: we"b      | document 1: Service default/we"b: metadata.name: "we"b" (expected: a DNS label: at most 63 of a-z, 0-9 and -)
            name: dns      | name: d_s       | document 1: Service default/web: spec.ports[1].name: "d_s" (expected: a DNS label: at most 63 of a-z, 0-9 and -)
            type: NodePort | internalTrafficPolicy: local | document 1: Service default/web: spec.internalTrafficPolicy: "local" (expected: Cluster, Local)
            type: NodePort | externalTrafficPolicy: Node | document 1: Service default/web: spec.externalTrafficPolicy: "Node" (expected: Cluster, Local)
            type: NodePort | sessionAffinity: Cookie | document 1: Service default/web: spec.sessionAffinity: "Cookie" (expected: None, ClientIP)
            type: NodePort | loadBalancerSourceRanges: [10.0.0.0/33] | document 1: Service default/web: spec.loadBalancerSourceRanges[0]: "10.0.0.0/33" (expected: a CIDR such as 10.244.0.0/24)
            type: NodePort | healthCheckNodePort: 70000 | document 1: Service default/web: spec.healthCheckNodePort: 70000 (expected: 0 to 65535)
            name: web      | name: 7         | document 1: metadata.name: 7 (expected: a string)
            name: web      | title: web      | document 1: Service: metadata.name: missing (expected: a string)
            kind: Service  | kinds: Service  | document 1: kind: missing (expected: a string)
            """)
    void namesWhatIsWrongInAService(String from, String to, String message) {
        assertThat(WEB).contains(from);
        assertThatThrownBy(() -> read(WEB.replace(from, to)))
                .isInstanceOf(ManifestException.class)
                .hasMessage(folder.resolve("web.yaml") + ": " + message);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '`', textBlock = """
            [10.244.0.3]     | [10.244.0]     | endpoints[1].addresses[0]: "10.244.0" (expected: an IPv4 or IPv6 address)
            [10.244.0.3]     | []             | endpoints[1].addresses: a list (expected: a list that is not empty)
            addressType: IPv4 | addressType: ip | addressType: "ip" (expected: IPv4, IPv6, FQDN)
            addressType: IPv4 | type: IPv4    | addressType: missing (expected: IPv4, IPv6, FQDN)
            k8s.io/v1        | k8s.io/v1beta1 | apiVersion: "discovery.k8s.io/v1beta1" (expected: discovery.k8s.io/v1)
            port: 8080       | port: -1       | ports[0].port: -1 (expected: 1 to 65535)
            name: any        | name: http, port: 1 | ports[2].name: "http" (expected: a name that no other port of the slice has)
            ready: null      | ready: 1       | endpoints[1].conditions.ready: 1 (expected: true or false)
            nodeName: n1     | nodeName: [n1] | endpoints[0].nodeName: a list (expected: a string)
            05.678901234+01:00 | later        | metadata.annotations[endpoints.kubernetes.io/last-change-trigger-time]: "2026-01-02T03:04:later" (expected: a time as in RFC 3339)
            """)
    void namesWhatIsWrongInASlice(String from, String to, String message) {
        assertThat(SLICE).contains(from);
        assertThatThrownBy(() -> read(SLICE.replace(from, to)))
                .isInstanceOf(ManifestException.class)
                .hasMessage(folder.resolve("web.yaml") + ": document 1: EndpointSlice default/web-1: " + message);
    }

    @Test
    void namesBothFilesOfAnObjectThatIsThereTwice() throws Exception {
        write("a.yaml", "# one\n" + WEB);
        write("b.yaml", WEB);

        assertThatThrownBy(() -> ManifestReader.read(folder))
                .hasMessage(folder.resolve("b.yaml") + ": document 1: Service default/web: already in "
                        + folder.resolve("a.yaml") + ", line 2 (expected: each object once)");
    }

    @Test
    void objectsOfOneNameInTwoNamespacesAreTwo() throws Exception {
        Manifests manifests = read(WEB + "---\n" + WEB.replace("name: web", "name: web\n  namespace: other"));

        assertThat(manifests.cluster().services())
                .extracting(service -> service.name().toString())
                .containsExactly("default/web", "other/web");
    }

    @ParameterizedTest
    @ValueSource(strings = {"", " \n", "# nothing\n", "---\n---\n"})
    void aFileWithoutObjectsIsRefused(String text) {
        assertThatThrownBy(() -> read(text))
                .hasMessage(folder.resolve("web.yaml") + ": empty (expected: at least one object)");
    }

    @Test
    void aFileThatIsNotThereIsNamed() {
        assertThatThrownBy(() -> ManifestReader.read(folder.resolve("none.yaml")))
                .hasMessage(folder.resolve("none.yaml") + ": no such file or folder");
    }

    @Test
    void refusesWhatIsNotUtf8() throws Exception {
        Files.write(folder.resolve("web.yaml"), new byte[] {'a', (byte) 0xFF});

        assertThatThrownBy(() -> ManifestReader.read(folder)).hasMessage(folder.resolve("web.yaml") + ": not UTF-8");
    }

    private Manifests read(String text) throws IOException, ManifestException {
        return ManifestReader.read(write("web.yaml", text));
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
