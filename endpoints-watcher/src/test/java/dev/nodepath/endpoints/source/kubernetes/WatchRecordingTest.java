package dev.nodepath.endpoints.source.kubernetes;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.nodepath.endpoints.EndpointSlice;
import dev.nodepath.endpoints.NamespacedName;
import dev.nodepath.endpoints.NodeInfo;
import dev.nodepath.endpoints.Protocol;
import dev.nodepath.endpoints.source.Fields;
import dev.nodepath.endpoints.source.NodeConverter;
import dev.nodepath.endpoints.source.Problems;
import dev.nodepath.endpoints.source.ServiceConverter;
import dev.nodepath.endpoints.source.SliceConverter;
import dev.nodepath.linux.address.Cidr;
import dev.nodepath.linux.address.IpAddress;
import java.io.ByteArrayInputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** Answers of a real API server of v1.36. */
class WatchRecordingTest {
    private static final ObjectMapper JSON = new ObjectMapper();

    private final SliceConverter converter = new SliceConverter();
    private final Problems problems = new Problems();

    @Test
    void readsAPageOfServices() throws Exception {
        List<String> read = new ArrayList<>();
        ObjectList page = list("list-services-page1.json", object -> {
            NamespacedName name = name(object);
            new ServiceConverter()
                    .convert(name, Fields.of(object, problems))
                    .forEach(service -> service.ports()
                            .forEach(port -> read.add(port.name() + " " + port.clusterIps() + ":" + port.port())));
        });

        assertThat(read)
                .containsExactly(
                        "default/kubernetes:https [10.96.0.1]:443",
                        "default/svc-00000:http [10.101.0.1]:80",
                        "default/svc-00001:http [10.101.0.2]:80");
        assertThat(page.version()).isEqualTo("1137");
        assertThat(page.next()).startsWith("eyJ2Ijoi");
        assertThat(list("list-services-page2.json", object -> {}).next()).isEmpty();
        assertThat(problems.count()).isZero();
    }

    @Test
    void readsSlices() throws Exception {
        List<EndpointSlice> slices = new ArrayList<>();
        list("list-endpointslices.json", object -> slices.addAll(slice(object)));

        assertThat(slices.get(0))
                .isEqualTo(new EndpointSlice(
                        new NamespacedName("default", "kubernetes"),
                        new NamespacedName("default", "kubernetes"),
                        List.of(new EndpointSlice.Port("https", Protocol.TCP, 6443)),
                        List.of(new EndpointSlice.Address(IpAddress.parse("172.30.0.1"), "", true, true, false)),
                        Optional.empty()));
        assertThat(slices.get(1).addresses())
                .hasSize(3)
                .allMatch(address -> address.state().nodeName().equals("n1"));
        assertThat(problems.count()).isZero();
    }

    @Test
    void readsTheEventsOfAWatch() throws Exception {
        List<String> read = new ArrayList<>();
        for (String line : TestApiServer.resource("watch-endpointslices.json").split("\n", -1)) {
            if (!line.isEmpty()) {
                JsonNode event = JSON.readTree(line);
                String type = event.path("type").asText();
                read.add(
                        type.equals("BOOKMARK")
                                ? type
                                : type + " " + slice(event.path("object")).size());
            }
        }
        assertThat(read).containsExactly("MODIFIED 1", "MODIFIED 1", "DELETED 1", "BOOKMARK", "BOOKMARK", "BOOKMARK");
    }

    @Test
    void readsANode() throws Exception {
        JsonNode object = JSON.readTree(TestApiServer.resource("get-node.json"));

        assertThat(new NodeConverter().convert(name(object), Fields.of(object, problems)))
                .containsExactly(new NodeInfo(
                        "n1",
                        "zone-a",
                        List.of(IpAddress.parse("172.30.0.1"), IpAddress.parse("fd00:30::1")),
                        List.of(Cidr.parse("10.244.0.0/24"))));
    }

    @Test
    void knowsThatAVersionIsTooOld() throws Exception {
        JsonNode event = JSON.readTree(TestApiServer.resource("watch-too-old.json"));
        ApiException failure = ApiClient.failure(event.path("object"), 410, Optional.empty());

        assertThat(failure).hasMessage("410 Expired: too old resource version: 1 (307)");
        assertThat(failure.isVersionUnusable()).isTrue();
    }

    private List<EndpointSlice> slice(JsonNode object) {
        return converter.slice(name(object), Fields.of(object, problems));
    }

    private static ObjectList list(String resource, java.util.function.Consumer<JsonNode> objects) throws Exception {
        byte[] body = TestApiServer.resource(resource).getBytes(StandardCharsets.UTF_8);
        return ObjectList.read(JSON, new ByteArrayInputStream(body), UnreadFields.of(List.of()), objects);
    }

    private static NamespacedName name(JsonNode object) {
        JsonNode metadata = object.path("metadata");
        return new NamespacedName(
                metadata.path("namespace").asText(""), metadata.path("name").asText(""));
    }
}
