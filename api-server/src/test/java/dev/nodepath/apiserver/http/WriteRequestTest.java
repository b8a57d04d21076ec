package dev.nodepath.apiserver.http;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.nodepath.apiserver.TestCluster;
import dev.nodepath.apiserver.request.Json;
import dev.nodepath.apiserver.resource.ConditionList;
import dev.nodepath.apiserver.resource.ObjectKey;
import dev.nodepath.apiserver.resource.Resources;
import dev.nodepath.apiserver.store.ChangeEvent;
import dev.nodepath.apiserver.stream.PodStreams;
import java.io.IOException;
import java.io.OutputStream;
import java.net.Socket;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class WriteRequestTest {
    private static final String MAPS = "/api/v1/namespaces/default/configmaps";
    private static final String PODS = "/api/v1/namespaces/default/pods";

    @AutoClose
    private TestCluster cluster;

    @BeforeEach
    void start() throws Exception {
        cluster = TestCluster.withRules(PodStreams.NONE);
    }

    @ParameterizedTest(name = "{0} {1} {2}")
    @CsvSource(delimiter = '|', quoteCharacter = '#', nullValues = "-", textBlock = """
            POST   | /api/v1/namespaces/default/configmaps   | {                                          | 400 | the object provided is unrecognized (must be of type ConfigMap): couldn't get version/kind; json parse error: .*
            POST   | /api/v1/namespaces/default/configmaps   | {'apiVersion':'v1','kind':'Pod'}           | 400 | Pod in version "v1" cannot be handled as a ConfigMap: .*
            POST   | /api/v1/namespaces/default/configmaps   | {'apiVersion':'v2','kind':'ConfigMap'}     | 400 | the API version in the data \\(v2\\) does not match the expected API version \\(v1\\)
            POST   | /api/v1/namespaces/default/configmaps   | {'metadata':{'name':'a','namespace':'b'}}  | 400 | the namespace of the provided object does not match the namespace sent on the request
            POST   | /api/v1/namespaces/nope/configmaps      | {'metadata':{'name':'a'}}                  | 404 | namespaces "nope" not found
            PUT    | /api/v1/namespaces/default/configmaps/a | {'metadata':{'name':'b'}}                  | 400 | the name of the object \\(b\\) does not match the name on the URL \\(a\\)
            PUT    | /api/v1/namespaces/default/configmaps/a | {'metadata':{'name':'a'}}                  | 404 | configmaps "a" not found
            DELETE | /api/v1/namespaces/default/configmaps/a | -                                          | 404 | configmaps "a" not found
            PATCH  | /api/v1/namespaces/default/configmaps/a | {}                                         | 415 | the body of the request was in an unknown format.*
            POST   | /api/v1/pods                            | {'metadata':{'name':'a'}}                  | 400 | an empty namespace may not be set during creation
            GET    | /apis/batch/v2/jobs                     | -                                          | 404 | the server could not find the requested resource
            DELETE | /api/v1/namespaces/default              | -                                          | 403 | namespaces "default" is forbidden: this namespace may not be deleted
            DELETE | /api/v1/namespaces/kube-system          | -                                          | 403 | namespaces "kube-system" is forbidden: this namespace may not be deleted
            POST   | /api/v1/namespaces/default/configmaps/a | {}                                         | 405 | the server does not allow this method on the requested resource
            """)
    void refusesAsKubernetesWordsIt(String method, String path, String body, int code, String message)
            throws Exception {
        HttpResponse<String> response = cluster.send(method, path, body == null ? "" : body);
        JsonNode status = Json.MAPPER.readTree(response.body());
        assertThat(response.statusCode()).isEqualTo(code);
        assertThat(status.path("message").asText())
                .matches("(?s)" + message.replace("(must be of type ConfigMap)", "\\(must be of type ConfigMap\\)"));
        assertThat(status.path("code").asInt()).isEqualTo(code);
        assertThat(status.has("details")).as("kubectl reads details of a 404").isEqualTo(code != 400 && code != 415);
    }

    @Test
    void aDryRunStoresNothing() throws Exception {
        assertThat(cluster.send("POST", MAPS + "?dryRun=All", "{'metadata':{'name':'a'}}")
                        .statusCode())
                .isEqualTo(201);
        assertThat(cluster.get(MAPS + "/a").statusCode()).isEqualTo(404);
        cluster.send("POST", MAPS, "{'metadata':{'name':'a'}}");
        cluster.send("PUT", MAPS + "/a?dryRun=All", "{'data':{'x':'y'}}");
        cluster.send("DELETE", MAPS + "/a?dryRun=All", "");
        assertThat(cluster.getTree(MAPS + "/a").has("data")).isFalse();
    }

    @Test
    void anOldVersionIsAConflict() throws Exception {
        JsonNode old = Json.MAPPER.readTree(
                cluster.send("POST", MAPS, "{'metadata':{'name':'a'}}").body());
        cluster.send("PUT", MAPS + "/a", "{'data':{'x':'y'}}");
        HttpResponse<String> response = cluster.send("PUT", MAPS + "/a", old.toString());
        assertThat(response.statusCode()).isEqualTo(409);
        assertThat(response.body()).contains("the object has been modified; please apply your changes");
    }

    @Test
    void aStatusIsWrittenByItself() throws Exception {
        cluster.send("POST", PODS, "{'metadata':{'name':'p'},'spec':{'containers':[{'name':'c','image':'i'}]}}");
        cluster.send(
                "PATCH",
                PODS + "/p/status",
                "{'status':{'phase':'Running'},'metadata':{'labels':{'x':'y'}}}",
                "application/merge-patch+json");
        cluster.send("PATCH", PODS + "/p", "{'status':{'phase':'Failed'}}", "application/merge-patch+json");
        JsonNode pod = cluster.getTree(PODS + "/p");
        assertThat(pod.path("status").path("phase").asText()).isEqualTo("Running");
        assertThat(pod.path("metadata").has("labels")).isFalse();
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '#', textBlock = """
            'metadata':{'name':'p'},'target':{'kind':'Node','name':'n1'} | 201
            'metadata':{'name':'q'},'target':{'kind':'Node','name':'n1'} | 404
            'target':{'kind':'Node','name':'n1'}                         | 400
            'metadata':{'name':'p'}                                      | 400
            'metadata':'p'                                               | 400
            """)
    void aBindingIsAKindToo(String binding, int code) throws Exception {
        cluster.send("POST", PODS, "{'metadata':{'name':'p'},'spec':{'containers':[{'name':'c','image':'i'}]}}");
        assertThat(cluster.getTree("/api/v1").path("resources").findValuesAsText("name"))
                .contains("bindings");
        assertThat(cluster.send(
                                "POST",
                                PODS.replace("pods", "bindings"),
                                "{'apiVersion':'v1','kind':'Binding'," + binding + "}")
                        .statusCode())
                .isEqualTo(code);
        assertThat(cluster.getTree(PODS + "/p").at("/spec/nodeName").asText("")).isEqualTo(code == 201 ? "n1" : "");
    }

    @Test
    void bindsAndEvictsPods() throws Exception {
        cluster.send("POST", PODS, "{'metadata':{'name':'p'},'spec':{'containers':[{'name':'c','image':'i'}]}}");
        String target = "{'target':{'kind':'Node','name':'n1'}}";
        assertThat(cluster.send("POST", PODS + "/p/binding", target).statusCode())
                .isEqualTo(201);
        assertThat(cluster.send("POST", PODS + "/p/binding", target).statusCode())
                .isEqualTo(409);
        assertThat(cluster.getTree("/api/v1/pods?fieldSelector=spec.nodeName%3Dn1")
                        .path("items"))
                .hasSize(1);
        assertThat(cluster.send("POST", PODS + "/p/eviction", "{'deleteOptions':{'gracePeriodSeconds':5}}")
                        .statusCode())
                .isEqualTo(201);
        JsonNode evicted = cluster.getTree(PODS + "/p");
        assertThat(evicted.path("metadata").path("deletionGracePeriodSeconds").asInt())
                .isEqualTo(5);
        assertThat(ConditionList.find(evicted, "DisruptionTarget")
                        .orElseThrow()
                        .path("reason")
                        .asText())
                .isEqualTo("EvictionByEvictionAPI");
    }

    /** A watch shows the reason in the Pod's last state, even if the Pod goes at once. */
    @Test
    void aPodThatIsEvictedSaysSoBeforeItGoes() throws Exception {
        cluster.send("POST", PODS, "{'metadata':{'name':'p'},'spec':{'containers':[{'name':'c','image':'i'}]}}");
        ObjectKey key = new ObjectKey("default", "p");
        String uid = cluster.api
                .get(Resources.PODS, key)
                .path("metadata")
                .path("uid")
                .asText();
        List<ObjectNode> gone = new ArrayList<>();
        cluster.api.subscribe(Resources.PODS, event -> {
            if (event.type() == ChangeEvent.Type.DELETED) {
                gone.add(event.object());
            }
        });
        String path = PODS + "/p/eviction";
        assertThat(cluster.send("POST", path, "{'deleteOptions':{'preconditions':{'uid':'another'}}}")
                        .statusCode())
                .isEqualTo(409);
        assertThat(cluster.send("POST", path + "?dryRun=All", "{}").statusCode())
                .isEqualTo(201);
        assertThat(ConditionList.find(cluster.api.get(Resources.PODS, key), "DisruptionTarget"))
                .as("neither refused nor dry")
                .isEmpty();
        assertThat(cluster.send("POST", path, "{'deleteOptions':{'preconditions':{'uid':'" + uid + "'}}}")
                        .statusCode())
                .isEqualTo(201);
        assertThat(gone)
                .singleElement()
                .satisfies(pod -> assertThat(ConditionList.isTrue(pod, "DisruptionTarget"))
                        .isTrue());
    }

    /** A dry run changes nothing of a Pod that goes already. */
    @Test
    void aDryEvictionLeavesAPodThatGoesAsItIs() throws Exception {
        cluster.send(
                "POST",
                PODS,
                "{'metadata':{'name':'p'},'spec':{'nodeName':'n1','containers':[{'name':'c','image':'i'}]}}");
        cluster.send("DELETE", PODS + "/p", "");
        JsonNode before = cluster.getTree(PODS + "/p");
        assertThat(before.path("metadata").has("deletionTimestamp")).isTrue();
        for (String body : List.of("{}", "{'deleteOptions':{'dryRun':['All']}}")) {
            String query = body.equals("{}") ? "?dryRun=All" : "";
            assertThat(cluster.send("POST", PODS + "/p/eviction" + query, body).statusCode())
                    .isEqualTo(201);
        }
        assertThat(cluster.getTree(PODS + "/p")).isEqualTo(before);
    }

    @Test
    void containersAreAddedToAPodByTheirSubresourceAlone() throws Exception {
        String containers = "'containers':[{'name':'c','image':'i'}]";
        cluster.send("POST", PODS, "{'metadata':{'name':'p'},'spec':{" + containers + "}}");
        String added =
                "{'metadata':{'name':'p'},'spec':{'nodeName':'n1','ephemeralContainers':[{'name':'%s','image':'%s'%s}]}}";
        String path = PODS + "/p/ephemeralcontainers";

        assertThat(strategic(path, added.formatted("d", "i", ",'targetContainerName':'c'"))
                        .statusCode())
                .isEqualTo(200);
        JsonNode spec = cluster.getTree(PODS + "/p").path("spec");
        assertThat(spec.has("nodeName")).isFalse();
        assertThat(spec.at("/ephemeralContainers/0/terminationMessagePath").asText())
                .isEqualTo("/dev/termination-log");
        assertThat(strategic(path, added.formatted("e", "i", "")).statusCode()).isEqualTo(200);
        assertThat(cluster.getTree(PODS + "/p").at("/spec/ephemeralContainers")).hasSize(2);

        assertThat(strategic(path, added.formatted("d", "other", "")).body()).contains("may not be changed");
        assertThat(strategic(path, added.formatted("c", "i", "")).body()).contains("Duplicate value");
        assertThat(strategic(path, added.formatted("f", "i", ",'targetContainerName':'d'"))
                        .body())
                .contains("targetContainerName: Not found");
        assertThat(strategic(path, added.formatted("f", "i", ",'ports':[{'containerPort':1}]"))
                        .body())
                .contains("cannot be set for an Ephemeral Container");
        for (String field : List.of("subPath", "subPathExpr")) {
            String mounts = ",'volumeMounts':[{'name':'v','mountPath':'/v','" + field + "':'x'}]";
            assertThat(strategic(path, added.formatted("f", "i", mounts)).body())
                    .contains("volumeMounts[0]." + field + ": Forbidden: cannot be set for an Ephemeral Container");
        }
        assertThat(strategic(path, added.formatted("f", "i", ",'restartPolicy':'Always'"))
                        .body())
                .contains("cannot be set for an Ephemeral Container");
        assertThat(strategic(PODS + "/p", added.formatted("f", "i", "")).statusCode())
                .isEqualTo(422);
        assertThat(cluster.send(
                                "POST",
                                PODS,
                                "{'metadata':{'name':'q'},'spec':{" + containers
                                        + ",'ephemeralContainers':[{'name':'d','image':'i'}]}}")
                        .body())
                .contains("cannot be set on create");
    }

    private HttpResponse<String> strategic(String path, String patch) throws Exception {
        return cluster.send("PATCH", path, patch, "application/strategic-merge-patch+json");
    }

    @Test
    void unknownFieldsAreWarnedAboutOrRefused() throws Exception {
        String body = "{'metadata':{'name':'a'},'dta':{}}";
        HttpResponse<String> warned = cluster.send("POST", MAPS, body);
        assertThat(warned.statusCode()).isEqualTo(201);
        assertThat(warned.headers().firstValue("Warning")).contains("299 - \"unknown field \\\"dta\\\"\"");
        assertThat(cluster.send("POST", MAPS + "?fieldValidation=Strict", body).body())
                .contains("strict decoding error: unknown field \\\"dta\\\"");
    }

    @Test
    void eventsHaveTwoForms() throws Exception {
        String body = "{'metadata':{'name':'e'},'regarding':{'kind':'Pod','name':'p','namespace':'default'},'note':'n',"
                + "'reason':'R','action':'A','type':'Normal','eventTime':'2026-01-01T00:00:00.000000Z',"
                + "'reportingController':'c','reportingInstance':'i'}";
        assertThat(cluster.send("POST", "/apis/events.k8s.io/v1/namespaces/default/events", body)
                        .statusCode())
                .isEqualTo(201);
        JsonNode core = cluster.getTree("/api/v1/namespaces/default/events/e");
        assertThat(core.path("involvedObject").path("name").asText()).isEqualTo("p");
        assertThat(core.path("message").asText()).isEqualTo("n");
        assertThat(core.path("apiVersion").asText()).isEqualTo("v1");
        JsonNode grouped =
                cluster.getTree("/apis/events.k8s.io/v1/events").path("items").path(0);
        assertThat(grouped.path("note").asText()).isEqualTo("n");
        assertThat(grouped.path("reportingController").asText()).isEqualTo("c");
    }

    @Test
    void aBodyOfMoreThanThreeMegabytesIsRefused() throws Exception {
        HttpResponse<String> response =
                cluster.send("POST", MAPS, "{'data':{'a':'" + "x".repeat(4 * 1024 * 1024) + "'}}");
        assertThat(response.statusCode()).isEqualTo(413);
        assertThat(response.body()).contains("Request entity too large: limit is 3145728");
    }

    @Test
    void halfSentRequestsAndOtherProtocolsKeepNobodyFromBeingServed() throws Exception {
        List<Socket> sockets = new ArrayList<>();
        try {
            for (int i = 0; i < 50; i++) {
                Socket plain = new Socket(cluster.address.getAddress(), cluster.address.getPort());
                OutputStream out = plain.getOutputStream();
                out.write("GET / HTTP/1.1\r\n".getBytes(StandardCharsets.US_ASCII));
                out.flush();
                sockets.add(plain);
                Socket half = secure();
                half.getOutputStream()
                        .write(("POST " + MAPS + " HTTP/1.1\r\nContent-Length: 100\r\n\r\n{")
                                .getBytes(StandardCharsets.US_ASCII));
                half.getOutputStream().flush();
                sockets.add(half);
            }
            assertThat(cluster.get("/api/v1/namespaces").statusCode()).isEqualTo(200);
        } finally {
            for (Socket each : sockets) {
                each.close();
            }
        }
    }

    private Socket secure() throws IOException {
        return cluster.client
                .sslContext()
                .getSocketFactory()
                .createSocket(cluster.address.getAddress(), cluster.address.getPort());
    }
}
