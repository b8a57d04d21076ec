package dev.nodepath.endpoints.source;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The words of errors about a manifest. */
class ManifestErrorsTest {
    @TempDir
    Path folder;

    @Test
    void refusesAnAffinityOfMoreThanADay() {
        String text =
                "{apiVersion: v1, kind: Service, metadata: {name: s}, spec: {clusterIP: 10.96.0.1, sessionAffinity: ClientIP,"
                        + " sessionAffinityConfig: {clientIP: {timeoutSeconds: 86401}}}}";

        assertThatThrownBy(() -> read(text)).hasMessageEndingWith(": 86401 (expected: 1 to 86400)");
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
        assertThat(ManifestReaderTest.WEB).contains(from);
        assertThatThrownBy(() -> read(ManifestReaderTest.WEB.replace(from, to)))
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
        assertThat(ManifestReaderTest.SLICE).contains(from);
        assertThatThrownBy(() -> read(ManifestReaderTest.SLICE.replace(from, to)))
                .isInstanceOf(ManifestException.class)
                .hasMessage(folder.resolve("web.yaml") + ": document 1: EndpointSlice default/web-1: " + message);
    }

    @Test
    void namesBothFilesOfAnObjectThatIsThereTwice() throws Exception {
        write("a.yaml", "# one\n" + ManifestReaderTest.WEB);
        write("b.yaml", ManifestReaderTest.WEB);

        assertThatThrownBy(() -> ManifestReader.check(ManifestReader.objects(List.of(folder))))
                .hasMessage(folder.resolve("b.yaml") + ": document 1: Service default/web: already in "
                        + folder.resolve("a.yaml") + ", line 2 (expected: each object once)");
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            {apiVersion: v1, kind: List, items: [{kind: Pod}]} | document 1: items[0]: apiVersion: missing (expected: a string)
            {apiVersion: v1, kind: PodList, items: [7]}        | document 1: items[0]: 7 (expected: an object)
            {apiVersion: v1, kind: PodList, items: {a: b}}     | document 1: items: an object (expected: a list)
            7                                                  | document 1: 7 (expected: an object)
            """)
    void namesWhatIsWrongInAList(String text, String message) {
        assertThatThrownBy(() -> read(text)).hasMessage(folder.resolve("web.yaml") + ": " + message);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            spec.type           | 5
            spec.list[1].port   | 9
            spec.list[2]        | 10
            spec.gone.further   | 4
            metadata.labels[a.b/c] | 3
            ''                  | 1
            """)
    void findsTheLineOfAFieldOrOfTheValueAroundIt(String path, int line) throws Exception {
        Manifests manifests = read("""
                {apiVersion: v1, kind: Pod, metadata:
                  {name: a, labels: {
                    a.b/c: d}}, spec:
                {
                  type: x,
                  list: [
                    {port: 1},
                    {
                     port: 2},
                    3],
                  none: null}}
                """);

        assertThat(manifests.objects().get(0).line(path)).isEqualTo(line);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", " \n", "# nothing\n", "---\n---\n"})
    void aFileWithoutObjectsIsRefused(String text) {
        assertThatThrownBy(() -> read(text))
                .hasMessage(folder.resolve("web.yaml") + ": empty (expected: at least one object)");
    }

    @Test
    void aFileThatIsNotThereIsNamed() {
        assertThatThrownBy(() -> ManifestReader.check(ManifestReader.objects(List.of(folder.resolve("none.yaml")))))
                .hasMessage(folder.resolve("none.yaml") + ": no such file or folder");
    }

    @Test
    void refusesWhatIsNotUtf8() throws Exception {
        Files.write(folder.resolve("web.yaml"), new byte[] {'a', (byte) 0xFF});

        assertThatThrownBy(() -> ManifestReader.check(ManifestReader.objects(List.of(folder))))
                .hasMessage(folder.resolve("web.yaml") + ": not UTF-8");
    }

    private Manifests read(String text) throws IOException, ManifestException {
        return ManifestReader.check(ManifestReader.objects(List.of(write("web.yaml", text))));
    }

    private Path write(String name, String text) throws IOException {
        Path file = folder.resolve(name);
        Files.createDirectories(file.getParent());
        return Files.writeString(file, text);
    }
}
