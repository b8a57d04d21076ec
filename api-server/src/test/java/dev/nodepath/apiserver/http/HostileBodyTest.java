package dev.nodepath.apiserver.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.nodepath.apiserver.ClusterApi;
import dev.nodepath.apiserver.ObjectRules;
import dev.nodepath.apiserver.ObjectSchema;
import dev.nodepath.apiserver.TestCluster;
import dev.nodepath.apiserver.resource.ObjectKey;
import dev.nodepath.apiserver.resource.Resources;
import dev.nodepath.apiserver.store.ObjectStore;
import dev.nodepath.apiserver.stream.PodStreams;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.InstantSource;
import java.util.Optional;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Bodies of a few megabytes that would take all memory or minutes of work. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class HostileBodyTest {
    private static final String MAPS = "/api/v1/namespaces/default/configmaps";
    private static final String DEPLOYMENTS = "/apis/apps/v1/namespaces/default/deployments";
    private static final String JSON = "application/json";
    private static final String YAML = "application/yaml";
    private static final String JSON_PATCH = "application/json-patch+json";
    private static final String MERGE = "application/merge-patch+json";
    private static final String STRATEGIC = "application/strategic-merge-patch+json";
    private static final String APPLY = "application/apply-patch+yaml";
    private static final int MEGABYTE = 1024 * 1024;

    private TestCluster cluster;

    record Attack(String name, String method, String path, String type, Supplier<String> body, int code) {
        @Override
        public String toString() {
            return name;
        }
    }

    @BeforeAll
    void start() throws Exception {
        cluster = TestCluster.withRules(PodStreams.NONE);
        // Almost as large as an object may be.
        assertThat(send("POST", DEPLOYMENTS, JSON, deployment("large", "\"" + "x".repeat(MEGABYTE) + "\"")))
                .isEqualTo(201);
        assertThat(send("POST", MAPS, JSON, map("many", 50_000))).isEqualTo(201);
    }

    @AfterAll
    void stop() {
        cluster.close();
    }

    static Stream<Attack> attacks() {
        String text = "x".repeat(MEGABYTE);
        return Stream.of(
                new Attack("aliases of a text", "POST", DEPLOYMENTS, YAML, () -> aliases("d1"), 413),
                new Attack("aliases in an apply", "PATCH", applied("d1"), APPLY, () -> aliases("d1"), 413),
                new Attack("a large object", "POST", DEPLOYMENTS, JSON, () -> deployment("d2", q(text + text)), 413),
                new Attack(
                        "a large dry run",
                        "POST",
                        DEPLOYMENTS + "?dryRun=All",
                        JSON,
                        () -> deployment("d2", q(text + text)),
                        413),
                new Attack(
                        "a large update",
                        "PUT",
                        DEPLOYMENTS + "/large",
                        JSON,
                        () -> deployment("large", q(text + text)),
                        413),
                new Attack("a large status", "PUT", DEPLOYMENTS + "/large/status", JSON, () -> status(text), 413),
                new Attack("a merge", "PATCH", DEPLOYMENTS + "/large", MERGE, () -> subdomain(text), 413),
                new Attack("a strategic merge", "PATCH", DEPLOYMENTS + "/large", STRATEGIC, () -> subdomain(text), 413),
                new Attack("an apply", "PATCH", applied("large"), APPLY, () -> applied("large", text), 413),
                new Attack("copies", "PATCH", MAPS + "/many", JSON_PATCH, () -> copies(text), 422),
                new Attack(
                        "copies of the whole",
                        "PATCH",
                        MAPS + "/many",
                        JSON_PATCH,
                        () -> "[" + "{'op':'copy','from':'','path':'/data/k1'},".repeat(50)
                                + "{'op':'remove','path':'/data/k1'}]",
                        422),
                new Attack(
                        "ten thousand wholes",
                        "PATCH",
                        MAPS + "/many?dryRun=All",
                        JSON_PATCH,
                        () -> "[" + "{'op':'replace','path':'','value':{}},".repeat(9_998)
                                + "{'op':'test','path':'','value':{}}]",
                        200),
                new Attack("too many operations", "PATCH", MAPS + "/many", JSON_PATCH, () -> operations(10_001), 413),
                new Attack("many operations", "PATCH", MAPS + "/many", JSON_PATCH, () -> operations(9_999), 200),
                new Attack(
                        "a deep path",
                        "PATCH",
                        MAPS + "/many",
                        JSON_PATCH,
                        () -> "[{'op':'add','path':'" + "/a".repeat(100_000) + "','value':1}]",
                        422),
                new Attack(
                        "a long number", "POST", MAPS, JSON, () -> "{'data':{'a':" + "9".repeat(500_000) + "}}", 400),
                new Attack(
                        "a long number in YAML",
                        "POST",
                        MAPS,
                        YAML,
                        () -> "data: {a: " + "9".repeat(2_900_000) + "}",
                        400),
                new Attack(
                        "a long number by its tag",
                        "POST",
                        MAPS,
                        YAML,
                        () -> "data: {a: !!int '" + "9".repeat(2_900_000) + "'}",
                        400),
                new Attack("deep JSON", "POST", MAPS, JSON, () -> "{'a':".repeat(300_000), 400),
                new Attack("deep YAML", "POST", MAPS, YAML, () -> "[".repeat(300_000), 400),
                new Attack(
                        "many empty lists",
                        "POST",
                        MAPS,
                        JSON,
                        () -> "{'data':[" + "[],".repeat(900_000) + "[]]}",
                        400),
                new Attack("many empty texts", "POST", MAPS, YAML, () -> "a: [" + "'',".repeat(600_000) + "'']", 413),
                new Attack("many empty containers", "POST", DEPLOYMENTS, JSON, () -> containers(400_000), 413),
                new Attack("many complaints", "POST", DEPLOYMENTS, JSON, () -> containers(50_000), 422),
                new Attack(
                        "many duplicate fields",
                        "POST",
                        MAPS + "?fieldValidation=Strict",
                        JSON,
                        HostileBodyTest::duplicates,
                        400),
                new Attack("many unknown fields", "POST", MAPS + "?dryRun=All", JSON, HostileBodyTest::unknown, 201),
                new Attack("a long key of an apply", "PATCH", applied("large"), APPLY, HostileBodyTest::longKey, 413),
                new Attack(
                        "a long address",
                        "POST",
                        "/api/v1/namespaces/default/services",
                        JSON,
                        () -> "{'metadata':{'name':'s'},'spec':{'ports':[{'port':1}],'externalIPs':['"
                                + ":".repeat(MEGABYTE) + "x']}}",
                        422),
                new Attack(
                        "a name of many parts",
                        "POST",
                        MAPS,
                        JSON,
                        () -> "{'metadata':{'name':'a" + ".a".repeat(500_000) + "'}}",
                        422),
                new Attack(
                        "a long text that is no base64",
                        "POST",
                        "/api/v1/namespaces/default/secrets",
                        JSON,
                        () -> "{'metadata':{'name':'s'},'data':{'a':'" + "A".repeat(MEGABYTE) + "*'}}",
                        400),
                new Attack(
                        "a selector of spaces",
                        "GET",
                        MAPS + "?labelSelector=a" + "+".repeat(900_000) + "(",
                        JSON,
                        () -> "",
                        400),
                new Attack(
                        "options",
                        "DELETE",
                        MAPS + "/many",
                        YAML,
                        () -> "preconditions: {uid: [&x " + text + ", *x, *x, *x]}",
                        413),
                new Attack(
                        "a binding",
                        "POST",
                        "/api/v1/namespaces/default/pods/p/binding",
                        YAML,
                        () -> "target: {name: [&x " + text + ", *x, *x, *x]}",
                        413),
                new Attack(
                        "a scale",
                        "PUT",
                        DEPLOYMENTS + "/large/scale",
                        YAML,
                        () -> "spec: {replicas: [&x " + text + ", *x, *x, *x]}",
                        413));
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("attacks")
    void refusesItAndServesOthers(Attack attack) throws Exception {
        assertThat(send(
                        attack.method(),
                        attack.path(),
                        attack.type(),
                        attack.body().get()))
                .isEqualTo(attack.code());
        assertThat(cluster.get("/api/v1/namespaces").statusCode()).isEqualTo(200);
    }

    @Test
    void refusesALargeObjectOfThisProcess() {
        assertThatThrownBy(() -> cluster.api.create(
                        Resources.DEPLOYMENTS, TestCluster.tree(deployment("inside", q("x".repeat(2 * MEGABYTE))))))
                .hasMessageContaining("etcdserver: request is too large");
        assertThatThrownBy(() ->
                        cluster.api.modify(Resources.DEPLOYMENTS, new ObjectKey("default", "large"), "", each -> {
                            each.withObjectProperty("spec")
                                    .withObjectProperty("template")
                                    .withObjectProperty("spec")
                                    .put("subdomain", "x".repeat(MEGABYTE));
                            return each;
                        }))
                .hasMessageContaining("etcdserver: request is too large");
    }

    /** More requests than there are threads. */
    @Test
    void anErrorIsAnAnswerAndFreesItsPlace() throws Exception {
        ClusterApi api = new ClusterApi(new ObjectStore(1, 10), ObjectRules.NONE, InstantSource.system());
        try (ApiServer server =
                new ApiServer(api, ObjectSchema.NONE, PodStreams.NONE, Optional.empty(), routes -> request -> {
                    switch (request.pathText()) {
                        case "/memory" -> throw new OutOfMemoryError("a test");
                        case "/stack" -> throw new StackOverflowError("a test");
                        case "/other" -> throw new AssertionError("a test");
                        default -> {
                            return routes.answer(request);
                        }
                    }
                })) {
            InetSocketAddress address = server.listen(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
            HttpClient client = HttpClient.newHttpClient();
            for (int i = 0; i < 4; i++) {
                for (String path : new String[] {"/memory", "/stack", "/other"}) {
                    assertThat(get(client, address, path)).as(path).isEqualTo(500);
                }
            }
            assertThat(get(client, address, "/healthz")).isEqualTo(200);
        }
    }

    private static int get(HttpClient client, InetSocketAddress address, String path) throws Exception {
        return client.send(
                        HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + address.getPort() + path))
                                .build(),
                        HttpResponse.BodyHandlers.discarding())
                .statusCode();
    }

    private int send(String method, String path, String type, String body) throws Exception {
        return cluster.client
                .send(
                        HttpRequest.newBuilder(cluster.uri(path))
                                .header("Authorization", "Bearer " + cluster.token.value())
                                .header("Content-Type", type)
                                .method(
                                        method,
                                        HttpRequest.BodyPublishers.ofString(
                                                type.equals(YAML) ? body : body.replace('\'', '"')))
                                .build(),
                        HttpResponse.BodyHandlers.discarding())
                .statusCode();
    }

    private static String q(String text) {
        return "\"" + text + "\"";
    }

    private static String applied(String name) {
        return DEPLOYMENTS + "/" + name + "?fieldManager=me&force=true";
    }

    private static String deployment(String name, String args) {
        return "{'apiVersion':'apps/v1','kind':'Deployment','metadata':{'name':'" + name
                + "','namespace':'default'},'spec':{'selector':{'matchLabels':{'a':'b'}},"
                + "'template':{'metadata':{'labels':{'a':'b'}},'spec':{'containers':[{'name':'c','image':'i','args':["
                + args + "]}]}}}}";
    }

    private static String aliases(String name) {
        return "---\n" + deployment(name, "&x '" + "x".repeat(MEGABYTE / 2) + "'" + ", *x".repeat(1000));
    }

    private static String subdomain(String text) {
        return "{'spec':{'template':{'spec':{'subdomain':'" + text + "'}}}}";
    }

    private static String applied(String name, String text) {
        return "{'apiVersion':'apps/v1','kind':'Deployment','metadata':{'name':'" + name
                + "'},'spec':{'template':{'spec':{'subdomain':'" + text + "'}}}}";
    }

    /** Ten thousand fields below a list's item that is found by half a megabyte. */
    private static String longKey() {
        StringBuilder limits = new StringBuilder("'last':1");
        for (int i = 0; i < 10_000; i++) {
            limits.append(",'k").append(i).append("':1");
        }
        return "{'apiVersion':'apps/v1','kind':'Deployment','metadata':{'name':'large'},'spec':{'template':{'spec':"
                + "{'containers':[{'name':'" + "x".repeat(MEGABYTE / 2) + "','resources':{'limits':{" + limits
                + "}}}]}}}}";
    }

    private static String status(String text) {
        return "{'metadata':{'name':'large'},'status':{'conditions':[{'type':'a','status':'True','message':'" + text
                + "'}]}}";
    }

    private static String map(String name, int keys) {
        StringBuilder body = new StringBuilder("{'metadata':{'name':'" + name + "'},'data':{");
        for (int i = 0; i < keys; i++) {
            body.append("'k").append(i).append("':'v',");
        }
        return body.append("'last':'v'}}").toString();
    }

    private static String operations(int count) {
        StringBuilder body = new StringBuilder("[");
        for (int i = 0; i < count; i++) {
            body.append("{'op':'replace','path':'/data/k").append(i).append("','value':'w'},");
        }
        return body.deleteCharAt(body.length() - 1).append(']').toString();
    }

    private static String copies(String text) {
        StringBuilder body = new StringBuilder("[{'op':'add','path':'/data/x','value':'" + text + "'}");
        for (int i = 0; i < 1500; i++) {
            body.append(",{'op':'copy','from':'/data/x','path':'/data/x")
                    .append(i)
                    .append("'}");
        }
        return body.append(']').toString();
    }

    private static String containers(int count) {
        return "{'metadata':{'name':'d3'},'spec':{'selector':{'matchLabels':{'a':'b'}},'template':{'metadata':"
                + "{'labels':{'a':'b'}},'spec':{'containers':[" + "{},".repeat(count - 1) + "{}]}}}}";
    }

    private static String duplicates() {
        return "{'metadata':{'name':'dup'},'" + "k".repeat(40_000) + "':{" + "'':0,".repeat(300_000) + "'':0}}";
    }

    private static String unknown() {
        StringBuilder body = new StringBuilder("{'metadata':{'name':'unknown'}");
        for (int i = 0; i < 100_000; i++) {
            body.append(",'f").append(i).append("':0");
        }
        return body.append('}').toString();
    }
}
