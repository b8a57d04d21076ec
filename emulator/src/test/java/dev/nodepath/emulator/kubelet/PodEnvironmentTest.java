package dev.nodepath.emulator.kubelet;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.nodepath.apiserver.resource.Resource;
import dev.nodepath.apiserver.resource.Resources;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class PodEnvironmentTest {
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final List<String> OF_EVERY_CONTAINER =
            List.of("PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin", "HOSTNAME=web", "HOME=/root");

    @TempDir
    private Path folder;

    private QuietNode node;

    @BeforeEach
    void start() throws Exception {
        node = new QuietNode(folder, 1);
        create(Resources.NAMESPACES, "{'metadata': {'name': 'another'}}");
        create(
                Resources.SERVICES,
                "{'metadata': {'namespace': 'default', 'name': 'kubernetes'}, 'spec': {'clusterIP':"
                        + " '10.96.0.1', 'ports': [{'name': 'https', 'port': 443, 'protocol': 'TCP'}]}}");
    }

    @AfterEach
    void stop() {
        node.close();
    }

    @Test
    void hasNothingOfTheProcessAndTheApiServer() throws Exception {
        List<String> expected = new ArrayList<>(OF_EVERY_CONTAINER);
        expected.addAll(List.of(
                "KUBERNETES_SERVICE_HOST=10.96.0.1",
                "KUBERNETES_SERVICE_PORT=443",
                "KUBERNETES_SERVICE_PORT_HTTPS=443",
                "KUBERNETES_PORT=tcp://10.96.0.1:443",
                "KUBERNETES_PORT_443_TCP=tcp://10.96.0.1:443",
                "KUBERNETES_PORT_443_TCP_PROTO=tcp",
                "KUBERNETES_PORT_443_TCP_PORT=443",
                "KUBERNETES_PORT_443_TCP_ADDR=10.96.0.1"));
        assertThat(variables("{'enableServiceLinks': false, 'containers': [{'name': 'main'}]}"))
                .containsExactlyInAnyOrderElementsOf(expected);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "true  | {'clusterIP': '10.96.0.9', 'ports': [{'port': 6379}, {'name': 'a-b', 'port': 53, 'protocol': 'UDP'}]}"
                        + " | MY_REDIS_SERVICE_HOST=10.96.0.9 MY_REDIS_SERVICE_PORT=6379 MY_REDIS_SERVICE_PORT_A_B=53"
                        + " MY_REDIS_PORT=tcp://10.96.0.9:6379 MY_REDIS_PORT_6379_TCP=tcp://10.96.0.9:6379"
                        + " MY_REDIS_PORT_6379_TCP_PROTO=tcp MY_REDIS_PORT_6379_TCP_PORT=6379 MY_REDIS_PORT_6379_TCP_ADDR=10.96.0.9"
                        + " MY_REDIS_PORT_53_UDP=udp://10.96.0.9:53 MY_REDIS_PORT_53_UDP_PROTO=udp MY_REDIS_PORT_53_UDP_PORT=53"
                        + " MY_REDIS_PORT_53_UDP_ADDR=10.96.0.9",
                "true  | {'clusterIP': 'fd00::9', 'ports': [{'port': 1, 'protocol': 'SCTP'}]}"
                        + " | MY_REDIS_SERVICE_HOST=fd00::9 MY_REDIS_SERVICE_PORT=1 MY_REDIS_PORT=sctp://[fd00::9]:1"
                        + " MY_REDIS_PORT_1_SCTP=sctp://[fd00::9]:1 MY_REDIS_PORT_1_SCTP_PROTO=sctp"
                        + " MY_REDIS_PORT_1_SCTP_PORT=1 MY_REDIS_PORT_1_SCTP_ADDR=fd00::9",
                "true  | {'clusterIP': 'None', 'ports': [{'port': 6379}]} | ''",
                "true  | {'type': 'ExternalName'} | ''",
                "false | {'clusterIP': '10.96.0.9', 'ports': [{'port': 6379}]} | ''",
            })
    void linksServicesAsDockerDid(boolean links, String service, String expected) throws Exception {
        create(
                Resources.SERVICES,
                "{'metadata': {'namespace': 'default', 'name': 'my-redis'}, 'spec': " + service + "}");
        create(
                Resources.SERVICES,
                "{'metadata': {'namespace': 'another', 'name': 'my-redis-2'}, 'spec': " + service + "}");
        assertThat(variables("{'enableServiceLinks': " + links + ", 'containers': [{'name': 'main'}]}").stream()
                        .filter(each -> each.startsWith("MY_REDIS")))
                .containsExactlyInAnyOrderElementsOf(expected.isEmpty() ? List.of() : List.of(expected.split(" ")));
    }

    @Test
    void takesNamesOfAnyKind() throws Exception {
        create(
                Resources.CONFIG_MAPS,
                "{'metadata': {'namespace': 'default', 'name': 'props'}, 'data':"
                        + " {'app.properties': 'a=1', 'LOG-LEVEL': 'debug', 'PLAIN': 'yes'}}");
        assertThat(variables("{'containers': [{'name': 'main', 'envFrom': [{'configMapRef': {'name': 'props'}}],"
                        + " 'env': [{'name': 'spring.datasource.url', 'value': 'jdbc:x'},"
                        + " {'name': 'MULTI', 'value': 'line 1\\nline 2'}]}]}"))
                .containsAll(OF_EVERY_CONTAINER)
                .contains(
                        "app.properties=a=1",
                        "LOG-LEVEL=debug",
                        "PLAIN=yes",
                        "spring.datasource.url=jdbc:x",
                        "MULTI=line 1\nline 2");
    }

    /** A warning says that it is ignored. */
    @Test
    void leavesOutWhatIsIgnored() throws Exception {
        assertThat(variables("{'containers': [{'name': 'main', 'env': [{'name': 'VALUE', 'valueFrom':"
                        + " {'fileKeyRef': {'volumeName': 'files', 'path': 'env', 'key': 'VALUE'}}}]}]}"))
                .containsAll(OF_EVERY_CONTAINER)
                .noneMatch(line -> line.startsWith("VALUE="));
    }

    /** The node has 2 processors and 1000 KiB. */
    @ParameterizedTest
    @CsvSource(textBlock = """
            limits.memory,   1Mi,  64
            limits.memory,   1,    67108864
            limits.memory,   1M,   68
            requests.cpu,    1m,   250
            requests.cpu,    1,    1
            limits.cpu,      0,    2
            limits.cpu,      1m,   2000
            requests.memory, 1Mi,  0
            """)
    void aResourceIsANumber(String resource, String divisor, String value) throws Exception {
        create(
                Resources.NODES,
                "{'metadata': {'name': 'n1'}, 'status': {'allocatable': {'cpu': '2', 'memory': '1000Ki'}}}");
        assertThat(variables("{'nodeName': 'n1', 'containers': [{'name': 'main', 'resources': {'limits':"
                        + " {'memory': '64Mi'}, 'requests': {'cpu': '250m'}}, 'env': [{'name': 'VALUE', 'valueFrom':"
                        + " {'resourceFieldRef': {'resource': '" + resource + "', 'divisor': '" + divisor + "'}}}]}]}"))
                .contains("VALUE=" + value);
    }

    private List<String> variables(String spec) throws Exception {
        ObjectNode pod = JSON.createObjectNode();
        pod.putObject("metadata").put("namespace", "default").put("name", "web");
        pod.set("spec", JSON.readTree(spec.replace('\'', '"')));
        Map<String, String> variables = new PodEnvironment(node.api)
                .of(pod, ContainerSpec.containers(pod).get(0));
        List<String> lines = new ArrayList<>();
        variables.forEach((name, value) -> lines.add(name + "=" + value));
        return lines;
    }

    private void create(Resource resource, String object) throws Exception {
        node.api.create(resource, (ObjectNode) JSON.readTree(object.replace('\'', '"')));
    }
}
