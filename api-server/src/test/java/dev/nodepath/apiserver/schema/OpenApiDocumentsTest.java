package dev.nodepath.apiserver.schema;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.nodepath.apiserver.Kinds;
import dev.nodepath.apiserver.resource.Resource;
import dev.nodepath.apiserver.resource.Resources;
import dev.nodepath.apiserver.store.ObjectStore;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.junit.jupiter.api.Test;

class OpenApiDocumentsTest {
    private static final ObjectMapper JSON = new ObjectMapper();

    private final Kinds kinds = new Kinds(new ObjectStore(0, 10));
    private final OpenApiDocuments documents = new OpenApiDocuments();

    @Test
    void everyReferenceHasItsType() throws IOException {
        JsonNode version2 = JSON.readTree(documents.version2(kinds));
        assertThat(references(version2))
                .allSatisfy(each -> assertThat(version2.at("/definitions").has(each.replace("#/definitions/", "")))
                        .as(each)
                        .isTrue());
        for (String path : groups()) {
            JsonNode version3 = JSON.readTree(documents.version3(kinds, path).orElseThrow());
            assertThat(references(version3))
                    .isNotEmpty()
                    .allSatisfy(each -> assertThat(
                                    version3.at("/components/schemas").has(each.replace("#/components/schemas/", "")))
                            .as(each)
                            .isTrue());
        }
    }

    @Test
    void listsAGroupWithTheHashOfItsDocument() throws IOException {
        JsonNode paths = JSON.readTree(documents.version3(kinds)).path("paths");
        assertThat(groups())
                .allSatisfy(each -> assertThat(
                                paths.path(each).path("serverRelativeURL").asText())
                        .matches("/openapi/v3/" + each + "\\?hash=[0-9A-F]{32}"));
        assertThat(documents.version3(kinds, "apis/none/v1")).isEmpty();
    }

    /** kubectl 1.32 lets the server validate if it finds this. */
    @Test
    void patchTakesFieldValidation() throws IOException {
        for (Resource resource : Resources.all()) {
            String group = resource.basePath().substring(1);
            JsonNode paths = JSON.readTree(documents.version3(kinds, group).orElseThrow())
                    .path("paths");
            String path = resource.basePath()
                    + (resource.namespaced() ? "/namespaces/{namespace}/" : "/")
                    + resource.plural()
                    + "/{name}";
            JsonNode patch = paths.path(path).path("patch");
            assertThat(patch.path("x-kubernetes-group-version-kind")
                            .path("kind")
                            .asText())
                    .isEqualTo(resource.kind());
            assertThat(patch.path("parameters").findValuesAsText("name"))
                    .contains("dryRun", "fieldValidation", "force");
        }
    }

    @Test
    void saysHowListsMerge() throws IOException {
        JsonNode containers = JSON.readTree(documents.version2(kinds))
                .path("definitions")
                .path("io.k8s.api.core.v1.PodSpec")
                .path("properties")
                .path("containers");
        assertThat(containers).isEqualTo(JSON.readTree("""
                {"type": "array",
                 "description": "The containers. Each is a process; one without command is a small HTTP server.",
                 "items": {"$ref": "#/definitions/io.k8s.api.core.v1.Container"},
                 "x-kubernetes-patch-strategy": "merge",
                 "x-kubernetes-patch-merge-key": "name",
                 "x-kubernetes-list-type": "map",
                 "x-kubernetes-list-map-keys": ["name"]}
                """));
    }

    @Test
    void describesOnlyWhatThereIs() throws IOException {
        String words;
        try (InputStream in = Objects.requireNonNull(Descriptions.class.getResourceAsStream("descriptions.txt"))) {
            words = new String(in.readAllBytes(), StandardCharsets.UTF_8);
        }
        assertThat(words.lines().filter(line -> line.matches("[^#].* .*")))
                .isNotEmpty()
                .allSatisfy(line -> {
                    String name = line.substring(0, line.indexOf(' '));
                    int dot = name.lastIndexOf('.');
                    boolean field = Schema.kubernetes()
                            .type(name.substring(0, dot))
                            .filter(type -> type.fields().containsKey(name.substring(dot + 1)))
                            .isPresent();
                    assertThat(field || Schema.kubernetes().type(name).isPresent())
                            .isTrue();
                });
    }

    /** Reads the message as a protobuf reader does: field 9 has the definitions, each with its name in field 1. */
    @Test
    void writesTheSameDefinitionsAsProtobuf() throws IOException {
        Map<Integer, List<byte[]>> document = message(documents.version2Protobuf(kinds));
        assertThat(new String(values(document, 1).get(0), UTF_8)).isEqualTo("2.0");
        Set<String> names = new HashSet<>();
        for (byte[] definition : values(message(values(document, 9).get(0)), 1)) {
            Map<Integer, List<byte[]>> named = message(definition);
            names.add(new String(values(named, 1).get(0), UTF_8));
        }
        Set<String> expected = new HashSet<>();
        JSON.readTree(documents.version2(kinds))
                .path("definitions")
                .fieldNames()
                .forEachRemaining(expected::add);
        assertThat(names).isEqualTo(expected);
        assertThat(values(message(values(document, 8).get(0)), 2))
                .hasSize(JSON.readTree(documents.version2(kinds)).path("paths").size());
    }

    private static Map<Integer, List<byte[]>> message(byte[] bytes) {
        Map<Integer, List<byte[]>> fields = new HashMap<>();
        ByteBuffer in = ByteBuffer.wrap(bytes);
        while (in.hasRemaining()) {
            int tag = varint(in);
            assertThat(tag & 7).as("wire type of a text or a message").isEqualTo(2);
            byte[] value = new byte[varint(in)];
            in.get(value);
            fields.computeIfAbsent(tag >> 3, each -> new ArrayList<>()).add(value);
        }
        return fields;
    }

    private static List<byte[]> values(Map<Integer, List<byte[]>> message, int field) {
        return message.getOrDefault(field, List.of());
    }

    private static int varint(ByteBuffer in) {
        int value = 0;
        for (int shift = 0; ; shift += 7) {
            byte next = in.get();
            value |= (next & 0x7f) << shift;
            if (next >= 0) {
                return value;
            }
        }
    }

    private static Set<String> references(JsonNode document) {
        return new HashSet<>(document.findValuesAsText("$ref"));
    }

    private static Set<String> groups() {
        Set<String> groups = new HashSet<>();
        Resources.all().forEach(each -> groups.add(each.basePath().substring(1)));
        return groups;
    }
}
