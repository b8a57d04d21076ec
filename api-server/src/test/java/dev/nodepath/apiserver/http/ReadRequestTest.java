package dev.nodepath.apiserver.http;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.nodepath.apiserver.TestCluster;
import dev.nodepath.apiserver.request.Json;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ReadRequestTest {
    private static final String MAPS = "/api/v1/namespaces/default/configmaps";

    @AutoClose
    private TestCluster cluster;

    @BeforeEach
    void start() throws Exception {
        cluster = new TestCluster();
    }

    @Test
    void healthAndVersionNeedNoToken() throws Exception {
        for (String path : List.of("/healthz", "/livez", "/readyz", "/version")) {
            assertThat(anonymous(path).statusCode()).as(path).isEqualTo(200);
        }
        assertThat(anonymous("/api/v1/pods").statusCode()).isEqualTo(401);
        assertThat(Json.MAPPER.readTree(anonymous("/api/v1/pods").body()))
                .isEqualTo(TestCluster.tree("{'kind':'Status','apiVersion':'v1','metadata':{},'status':'Failure',"
                        + "'message':'Unauthorized','reason':'Unauthorized','code':401}"));
    }

    @ParameterizedTest(name = "{0}")
    @CsvSource(delimiter = '|', textBlock = """
            /livez?verbose             | 200 | [+]ping ok,[+]etcd ok,livez check passed
            /readyz?verbose            | 200 | [+]ping ok,[+]etcd ok,readyz check passed
            /healthz?verbose           | 200 | [+]ping ok,[+]etcd ok,healthz check passed
            /livez?verbose&exclude=etcd | 200 | [+]ping ok,[+]etcd excluded: ok,livez check passed
            /livez/etcd                | 200 | ok
            """)
    void healthListsItsChecks(String path, int code, String lines) throws Exception {
        HttpResponse<String> answer = cluster.send("GET", path, "");
        assertThat(answer.statusCode()).isEqualTo(code);
        assertThat(answer.body().strip()).isEqualTo(lines.replace(",", "\n"));
        assertThat(cluster.send("GET", "/livez/nope", "").statusCode()).isEqualTo(404);
    }

    @Test
    void listsInPagesOfTheSameMoment() throws Exception {
        for (String name : List.of("a", "b", "c", "d")) {
            create(name, "{}");
        }
        JsonNode first = cluster.getTree("/api/v1/configmaps?limit=3");
        create("bb", "{}");
        JsonNode second = cluster.getTree("/api/v1/configmaps?limit=3&continue="
                + first.path("metadata").path("continue").asText());
        assertThat(names(first)).containsExactly("a", "b", "c");
        assertThat(names(second)).containsExactly("d");
        assertThat(second.path("metadata").path("resourceVersion"))
                .isEqualTo(first.path("metadata").path("resourceVersion"));
        assertThat(second.path("metadata").has("continue")).isFalse();
    }

    /** A list of the past keeps replaced objects in memory, which the history bounds. */
    @Test
    void aListEndsWithTheHistory() throws Exception {
        for (String name : List.of("a", "b")) {
            create(name, "{}");
        }
        String next = cluster.getTree("/api/v1/configmaps?limit=1")
                .path("metadata")
                .path("continue")
                .asText();
        create("c", "{}");
        cluster.api.store().compact();
        assertThat(cluster.get("/api/v1/configmaps?continue=" + next).statusCode())
                .isEqualTo(410);
    }

    @Test
    void choosesByLabelsAndFields() throws Exception {
        create("a", "{'app':'web','tier':'1'}");
        create("b", "{'app':'db'}");
        assertThat(names(cluster.getTree(MAPS + "?labelSelector=app+in+(web,x),tier")))
                .containsExactly("a");
        assertThat(names(cluster.getTree(MAPS + "?labelSelector=app!%3Dweb"))).containsExactly("b");
        assertThat(names(cluster.getTree(MAPS + "?fieldSelector=metadata.name%3Db")))
                .containsExactly("b");
        assertThat(cluster.get(MAPS + "?fieldSelector=data%3Db").statusCode()).isEqualTo(400);
        assertThat(cluster.get(MAPS + "?labelSelector=a%3D%3D%3D").statusCode()).isEqualTo(400);
    }

    @Test
    void watchTellsOfObjectsThatEnterAndLeaveASelector() throws Exception {
        create("a", "{'app':'web'}");
        String version =
                cluster.getTree(MAPS).path("metadata").path("resourceVersion").asText();
        try (BufferedReader lines = watch(MAPS + "?watch=1&labelSelector=app%3Dweb&resourceVersion=" + version)) {
            create("b", "{'app':'db'}");
            update("b", "{'app':'web'}");
            update("a", "{'app':'db'}");
            cluster.send("DELETE", MAPS + "/b", "");
            List<String> seen = new ArrayList<>();
            for (int i = 0; i < 3; i++) {
                JsonNode event = Json.MAPPER.readTree(lines.readLine());
                seen.add(event.path("type").asText() + " "
                        + event.path("object").path("metadata").path("name").asText());
            }
            assertThat(seen).containsExactly("ADDED b", "DELETED a", "DELETED b");
        }
    }

    @Test
    void watchFromAForgottenVersionIsToldSo() throws Exception {
        cluster.api.store().compact();
        create("a", "{}");
        for (String version : List.of("5", "99999")) {
            try (BufferedReader lines = watch(MAPS + "?watch=1&resourceVersion=" + version)) {
                JsonNode event = Json.MAPPER.readTree(lines.readLine());
                assertThat(event.path("type").asText()).isEqualTo("ERROR");
                assertThat(event.path("object").path("code").asInt()).isEqualTo(410);
                assertThat(lines.readLine()).isNull();
            }
        }
    }

    private HttpResponse<String> anonymous(String path) throws IOException, InterruptedException {
        return cluster.client.send(
                HttpRequest.newBuilder(cluster.uri(path)).build(), HttpResponse.BodyHandlers.ofString());
    }

    private BufferedReader watch(String path) throws IOException, InterruptedException {
        return new BufferedReader(new InputStreamReader(cluster.watch(path), StandardCharsets.UTF_8));
    }

    private void create(String name, String labels) throws IOException, InterruptedException {
        assertThat(cluster.send("POST", MAPS, "{'metadata':{'name':'" + name + "','labels':" + labels + "}}")
                        .statusCode())
                .isEqualTo(201);
    }

    private void update(String name, String labels) throws IOException, InterruptedException {
        assertThat(cluster.send("PUT", MAPS + "/" + name, "{'metadata':{'labels':" + labels + "}}")
                        .statusCode())
                .isEqualTo(200);
    }

    private static List<String> names(JsonNode list) {
        List<String> names = new ArrayList<>();
        list.path("items")
                .forEach(item -> names.add(item.path("metadata").path("name").asText()));
        return names;
    }
}
