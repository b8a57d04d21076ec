package dev.nodepath.bench.testbed;

import static org.assertj.core.api.Assertions.assertThat;

import dev.nodepath.linux.KernelLinuxNet;
import dev.nodepath.linux.namespace.NetworkNamespace;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Requests that kube-proxy makes, and Nodepath does not. */
@Tag("netns")
@Timeout(900)
class BenchApiServerTest {
    private static final List<ApiObject.Port> PORTS = List.of(new ApiObject.Port("http", "TCP", 80, 8080));

    @Test
    void answersEachVersionOfSlicesAsItWasAsked() throws Exception {
        try (NetworkNamespace here = new KernelLinuxNet().current();
                BenchApiServer server = new BenchApiServer(here)) {
            server.put(ApiObject.slice("web", List.of("10.0.0.1"), List.of(), PORTS));
            for (String version : List.of("v1", "v1beta1")) {
                String path = "/apis/discovery.k8s.io/" + version + "/endpointslices";
                assertThat(get(server, path + "?limit=500").body())
                        .contains("\"apiVersion\":\"discovery.k8s.io/" + version + "\"", "10.0.0.1");
                assertThat(get(server, path + "?watch=1&resourceVersion=1&timeoutSeconds=1")
                                .body())
                        .contains("\"ADDED\"", "\"apiVersion\":\"discovery.k8s.io/" + version + "\"");
            }
        }
    }

    @Test
    void servesANodeByItsName() throws Exception {
        try (NetworkNamespace here = new KernelLinuxNet().current();
                BenchApiServer server = new BenchApiServer(here)) {
            server.put(ApiObject.node("n1", "10.0.0.1"));
            assertThat(get(server, "/api/v1/nodes/n1").body()).contains("\"kind\":\"Node\"", "10.0.0.1");
            assertThat(get(server, "/api/v1/nodes/n2").statusCode()).isEqualTo(404);
        }
    }

    /** The bench puts so many objects into it before a proxy starts. */
    @Test
    void takesManyServicesAndTheirSlicesAndListsThemAll() throws Exception {
        int services = 10_000;
        try (NetworkNamespace here = new KernelLinuxNet().current();
                BenchApiServer server = new BenchApiServer(here)) {
            long start = System.nanoTime();
            for (int i = 0; i < services; i++) {
                server.put(ApiObject.service("s" + i, "10.97." + (i >> 8) + "." + (i & 255), PORTS));
                server.put(ApiObject.slice("s" + i, List.of("10.0.0.1", "10.0.0.2"), List.of(), PORTS));
            }
            System.out.println(services + " Services in " + (System.nanoTime() - start) / 1_000_000 + " ms");
            assertThat(get(server, "/apis/discovery.k8s.io/v1/endpointslices")
                            .body()
                            .split("\"addressType\"", -1))
                    .hasSize(services + 1);
        }
    }

    private static HttpResponse<String> get(BenchApiServer server, String path) throws Exception {
        return HttpClient.newHttpClient()
                .send(
                        HttpRequest.newBuilder(URI.create(server.url() + path)).build(),
                        HttpResponse.BodyHandlers.ofString());
    }
}
