package dev.nodepath.apiserver.http;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.nodepath.apiserver.TestCluster;
import dev.nodepath.apiserver.request.Json;
import dev.nodepath.apiserver.stream.PodStreams;
import java.io.IOException;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;

/** Comparisons with answers of kube-apiserver 1.36. */
class RecordedAnswersTest {
    @AutoClose
    private final TestCluster cluster;

    RecordedAnswersTest() throws Exception {
        cluster = TestCluster.withRules(PodStreams.NONE);
    }

    @Test
    void listsHaveTheShapeOfTheRecordedOnes() throws Exception {
        JsonNode recorded = body("list-services-page1.http");
        JsonNode own = cluster.getTree("/api/v1/services");
        assertThat(fields(own)).isEqualTo(fields(recorded));
        assertThat(fields(own.path("metadata"))).isSubsetOf(fields(recorded.path("metadata")));
        assertThat(fields(own.path("items").path(0)))
                .containsAll(fields(recorded.path("items").path(0)));
        assertThat(fields(own.path("items").path(0).path("spec")))
                .containsAll(fields(recorded.path("items").path(0).path("spec")));
    }

    @Test
    void whoHasNoTokenIsToldSoInTheSameWords() throws Exception {
        HttpResponse<String> own = cluster.client.send(
                HttpRequest.newBuilder(cluster.uri("/api/v1/services")).build(), HttpResponse.BodyHandlers.ofString());
        assertThat(own.statusCode()).isEqualTo(401);
        assertHeadersOf("unauthorized.http", own);
        assertThat(Json.MAPPER.readTree(own.body())).isEqualTo(body("unauthorized.http"));
    }

    @Test
    void aWatchFromAVersionThatIsTooOldEndsWithTheSameEvent() throws Exception {
        cluster.api.store().compact();
        HttpResponse<String> own = cluster.get("/api/v1/services?watch=1&resourceVersion=1");
        assertThat(own.statusCode()).isEqualTo(200);
        assertHeadersOf("watch-too-old.http", own);
        String version = String.valueOf(cluster.api.store().version());
        assertThat(Json.MAPPER.readTree(own.body()))
                .isEqualTo(Json.MAPPER.readTree(
                        body("watch-too-old.http").toString().replace("(307)", "(" + version + ")")));
    }

    /** The type of the body, and whether it may be cached. */
    private static void assertHeadersOf(String name, HttpResponse<String> own) throws IOException {
        String recorded = recording(name);
        for (String header : List.of("content-type", "cache-control")) {
            assertThat(recorded)
                    .contains(header + ": " + own.headers().firstValue(header).orElseThrow());
        }
    }

    private static JsonNode body(String name) throws IOException {
        String text = recording(name);
        // The fields managedFields were cut out, and left their commas.
        return Json.MAPPER.readTree(text.substring(text.indexOf("\n{")).replace(",}", "}"));
    }

    private static String recording(String name) throws IOException {
        return Files.readString(Path.of(
                System.getProperty("nodepath.home", ".."),
                "api-server/src/test/resources/dev/nodepath/apiserver/kube-apiserver-1.36",
                name));
    }

    private static List<String> fields(JsonNode object) {
        List<String> names = new ArrayList<>();
        object.fieldNames().forEachRemaining(names::add);
        names.sort(null);
        return names;
    }
}
