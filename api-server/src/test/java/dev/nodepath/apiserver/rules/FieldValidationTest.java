package dev.nodepath.apiserver.rules;

import static org.assertj.core.api.Assertions.assertThat;

import dev.nodepath.apiserver.TestCluster;
import dev.nodepath.apiserver.request.Json;
import dev.nodepath.apiserver.stream.PodStreams;
import java.io.IOException;
import java.net.http.HttpResponse;
import java.security.GeneralSecurityException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** A client's answers over HTTP about unknown fields. */
class FieldValidationTest {
    private static final String PATH = "/api/v1/namespaces/default/pods";
    private static final String POD = "{'metadata': {'name': 'a', 'name': 'b'}, 'spec': {'contaners': [],"
            + " 'containers': [{'name': 'a', 'image': 'a'}]}}";

    private final TestCluster cluster = TestCluster.withRules(PodStreams.NONE);

    FieldValidationTest() throws IOException, GeneralSecurityException {}

    @AfterEach
    void close() {
        cluster.close();
    }

    @Test
    void warns() throws IOException, InterruptedException {
        HttpResponse<String> response = cluster.send("POST", PATH, POD);
        assertThat(response.statusCode()).isEqualTo(201);
        assertThat(response.headers().allValues("warning"))
                .containsExactly(
                        "299 - \"duplicate field \\\"metadata.name\\\"\"",
                        "299 - \"unknown field \\\"spec.contaners\\\"\"");
    }

    @Test
    void refuses() throws IOException, InterruptedException {
        HttpResponse<String> response = cluster.send("POST", PATH + "?fieldValidation=Strict", POD);
        assertThat(response.statusCode()).isEqualTo(400);
        assertThat(Json.MAPPER.readTree(response.body()).path("message").asText())
                .isEqualTo("Pod in version \"v1\" cannot be handled as a Pod: strict decoding error: duplicate field"
                        + " \"metadata.name\", unknown field \"spec.contaners\"");
    }

    @Test
    void ignores() throws IOException, InterruptedException {
        HttpResponse<String> response = cluster.send("POST", PATH + "?fieldValidation=Ignore", POD);
        assertThat(response.statusCode()).isEqualTo(201);
        assertThat(response.headers().allValues("warning")).isEmpty();
    }

    @Test
    void servesOpenApi() throws IOException, InterruptedException {
        assertThat(cluster.getTree("/openapi/v2").path("swagger").asText()).isEqualTo("2.0");
        String apps = cluster.getTree("/openapi/v3")
                .path("paths")
                .path("apis/apps/v1")
                .path("serverRelativeURL")
                .asText();
        assertThat(cluster.getTree(apps).path("openapi").asText()).isEqualTo("3.0.0");
        HttpResponse<String> protobuf = cluster.client.send(
                cluster.request("/openapi/v2")
                        .header("Accept", "application/com.github.proto-openapi.spec.v2@v1.0+protobuf")
                        .build(),
                HttpResponse.BodyHandlers.ofString());
        assertThat(protobuf.headers().firstValue("content-type"))
                .contains("application/com.github.proto-openapi.spec.v2.v1.0+protobuf");
    }
}
