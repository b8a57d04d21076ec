package dev.nodepath.apiserver.verbs;

import static org.assertj.core.api.Assertions.assertThat;

import dev.nodepath.apiserver.ClusterApi;
import dev.nodepath.apiserver.access.BearerToken;
import dev.nodepath.apiserver.request.ApiRequest;
import dev.nodepath.apiserver.request.ApiResponse;
import dev.nodepath.apiserver.request.Query;
import dev.nodepath.apiserver.request.RequestHandler;
import dev.nodepath.apiserver.rules.ClusterRules;
import dev.nodepath.apiserver.rules.ClusterSchema;
import dev.nodepath.apiserver.rules.InitialObjects;
import dev.nodepath.apiserver.store.ObjectStore;
import dev.nodepath.apiserver.stream.PodStreams;
import java.nio.charset.StandardCharsets;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import org.junit.jupiter.api.Test;

/**
 * Requests with random faults in paths, parameters, types and bodies. Each gets an answer, none a 500. The system
 * property {@code nodepath.requests} sets their number.
 */
class MutatedRequestsTest {
    private static final int REQUESTS = Integer.getInteger("nodepath.requests", 5_000);
    private static final long SEED = Long.getLong("nodepath.seed", 19);
    private static final BearerToken TOKEN = new BearerToken("t");

    /** A request that works, before its mutation. */
    private record Template(String method, String path, String type, int body) {}

    private static final String JSON = "application/json";
    private static final String PODS = "/api/v1/namespaces/default/pods";
    private static final String DEPLOYMENTS = "/apis/apps/v1/namespaces/default/deployments";

    private static final List<Template> CREATIONS = List.of(
            new Template("POST", PODS, JSON, 0),
            new Template("POST", "/api/v1/namespaces/default/services", JSON, 1),
            new Template("POST", DEPLOYMENTS, JSON, 2),
            new Template("POST", "/api/v1/namespaces/default/configmaps", "application/yaml", 3));

    private static final List<Template> OTHERS = List.of(
            new Template("PUT", PODS + "/p", JSON, 0),
            new Template("PUT", PODS + "/p/status", JSON, 0),
            new Template("POST", PODS + "/p/binding", JSON, 8),
            new Template("POST", PODS + "/p/eviction", JSON, 9),
            new Template("GET", PODS + "/p/log", JSON, -1),
            new Template("GET", PODS, JSON, -1),
            new Template("GET", PODS + "/p", JSON, -1),
            new Template("DELETE", PODS + "/p", JSON, 9),
            new Template("DELETE", "/api/v1/namespaces/default/configmaps", JSON, 9),
            new Template("PUT", "/api/v1/namespaces/default/services/s", JSON, 1),
            new Template("PATCH", DEPLOYMENTS + "/d", "application/strategic-merge-patch+json", 5),
            new Template("PATCH", DEPLOYMENTS + "/d", "application/strategic-merge-patch+json", 6),
            new Template("PATCH", DEPLOYMENTS + "/d", "application/merge-patch+json", 7),
            new Template("PATCH", DEPLOYMENTS + "/d", "application/json-patch+json", 4),
            new Template("PATCH", DEPLOYMENTS + "/d?fieldManager=m", "application/apply-patch+yaml", 2),
            new Template("PATCH", DEPLOYMENTS + "/d?fieldManager=n&force=true", "application/apply-patch+yaml", 2),
            new Template("PATCH", PODS + "/p?fieldManager=m", "application/apply-patch+yaml", 0),
            new Template("PATCH", DEPLOYMENTS + "/d/scale", "application/merge-patch+json", 7),
            new Template("PUT", DEPLOYMENTS + "/d/scale", JSON, 7),
            new Template("POST", "/apis/events.k8s.io/v1/namespaces/default/events", JSON, 10),
            new Template("GET", "/apis/events.k8s.io/v1/events", JSON, -1),
            new Template("POST", "/api/v1/nodes", "application/vnd.kubernetes.protobuf", 11),
            new Template("PUT", "/api/v1/namespaces/default/finalize", JSON, 3),
            new Template("POST", "/api/v1/namespaces/default/configmaps", "application/yaml", 12),
            new Template("POST", "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews", JSON, 3),
            new Template("GET", "/openapi/v3/apis/apps/v1", JSON, -1));

    private static final List<String> METHODS = List.of("GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "BREW");

    private static final List<String> TYPES = List.of(
            "application/json",
            "application/yaml",
            "application/json-patch+json",
            "application/merge-patch+json",
            "application/strategic-merge-patch+json",
            "application/apply-patch+yaml",
            "application/vnd.kubernetes.protobuf",
            "text/plain");

    private static final List<String> PARAMETERS = List.of(
            "watch",
            "limit",
            "continue",
            "labelSelector",
            "fieldSelector",
            "resourceVersion",
            "dryRun",
            "force",
            "fieldManager",
            "fieldValidation",
            "timeoutSeconds",
            "gracePeriodSeconds",
            "propagationPolicy",
            "sendInitialEvents",
            "resourceVersionMatch",
            "includeObject",
            "tailLines",
            "sinceTime");

    private static final List<String> VALUES = List.of(
            "",
            "1",
            "true",
            "All",
            "-1",
            "99999999999999999999",
            "a=b",
            "a in (b,c),!d",
            "a in (",
            "=",
            ",,,",
            "metadata.name=p",
            "status.phase!=Running",
            "eyJ2IjoibWV0YS5rOHMuaW8vdjEiLCJydiI6MSwic3RhcnQiOiIvYVx1MDAwMCJ9",
            "Orphan",
            "Strict",
            "NotOlderThan",
            "\u0000",
            "kubectl");

    private static final List<String> BODIES = List.of(
            "{'metadata':{'name':'p'},'spec':{'containers':[{'name':'c','image':'i','ports':[{'containerPort':80}]}]}}",
            "{'metadata':{'name':'s'},'spec':{'ports':[{'port':80,'targetPort':'http'}],'selector':{'a':'b'}}}",
            "{'metadata':{'name':'d'},'spec':{'replicas':2,'selector':{'matchLabels':{'a':'b'}},'template':{'metadata':"
                    + "{'labels':{'a':'b'}},'spec':{'containers':[{'name':'c','image':'i','env':[{'name':'A'}]}]}}}}",
            "{'metadata':{'name':'c'},'data':{'a':'b'}}",
            "[{'op':'replace','path':'/metadata/labels','value':{}},{'op':'copy','from':'','path':'/metadata/x'}]",
            "{'spec':{'template':{'spec':{'containers':[{'$patch':'delete','name':'c'}],"
                    + "'$setElementOrder/containers':[{'name':'c'}]}},'$retainKeys':['template']}}",
            "{'metadata':{'finalizers':['x'],'$deleteFromPrimitiveList/finalizers':['y']}}",
            "{'spec':{'replicas':3}}",
            "{'target':{'kind':'Node','name':'n'}}",
            "{'kind':'DeleteOptions','apiVersion':'v1','gracePeriodSeconds':0,'preconditions':{'uid':'u'}}",
            "{'metadata':{'name':'e'},'regarding':{'kind':'Pod','name':'p'},'note':'n','reason':'R','type':'Normal',"
                    + "'eventTime':'2026-01-01T00:00:00.000000Z','deprecatedCount':3}",
            "k8s\0\n\n\n\002v1\022\004Node\022\006\n\004\n\002ab",
            "a: &a [1]\nb: *a\n");

    private static final List<String> ACCEPTED =
            List.of(JSON, JSON, JSON, "application/yaml", "application/json;as=Table;v=v1;g=meta.k8s.io", "x/y");

    private static final String PIECES = "{}[],:'\"\\\0$-0.9eE/*&!|>%@`null true 1e999 \u20ac \uffff &a *a";

    private final Random random = new Random(SEED);

    @Test
    void everyRequestGetsAnAnswerAndNoneBreaksTheServer() {
        System.out.println("seed " + SEED + ", requests " + REQUESTS);
        ScheduledExecutorService timer = Executors.newSingleThreadScheduledExecutor();
        try {
            ObjectStore store = new ObjectStore(1, 100);
            ClusterApi api = new ClusterApi(store, new ClusterRules(store), InstantSource.system());
            new InitialObjects(List.of("10.96.0.0/12"), "172.30.0.1", 6443).create(api);
            RequestHandler routes = new TokenCheck(
                    new ApiRoutes(api, new ClusterSchema(), PodStreams.NONE, timer, InstantSource.system()), TOKEN);
            Map<Integer, Integer> codes = new TreeMap<>();
            for (int i = 0; i < REQUESTS; i++) {
                List<Template> from = i % 10 == 0 ? CREATIONS : OTHERS;
                ApiRequest request = request(one(from));
                try {
                    codes.merge(code(routes.answer(request)), 1, Integer::sum);
                } catch (RuntimeException | StackOverflowError e) {
                    throw new AssertionError("request " + i + " " + describe(request), e);
                }
            }
            System.out.println("answers by code " + codes);
            assertThat(codes)
                    .containsKeys(200, 201, 400, 404, 405, 409, 415, 422)
                    .doesNotContainKey(500);
            assertThat(code(routes.answer(valid()))).isEqualTo(200);
        } finally {
            timer.shutdownNow();
        }
    }

    private static ApiRequest valid() {
        return new ApiRequest(
                "GET",
                List.of("api", "v1", "pods"),
                new Query(Map.of()),
                Map.of("authorization", List.of("Bearer t")),
                new byte[0]);
    }

    private ApiRequest request(Template template) {
        String[] parts = template.path().split("\\?", -1);
        List<String> path = new ArrayList<>(List.of(parts[0].substring(1).split("/", -1)));
        if (random.nextInt(20) == 0) {
            int at = random.nextInt(path.size());
            path.set(at, mutated(path.get(at)));
        }
        Map<String, List<String>> query = new TreeMap<>();
        for (String pair : parts.length > 1 ? parts[1].split("&", -1) : new String[0]) {
            query.put(pair.substring(0, pair.indexOf('=')), List.of(pair.substring(pair.indexOf('=') + 1)));
        }
        for (int i = random.nextInt(4) - 1; i > 0; i--) {
            String value = one(VALUES);
            query.put(one(PARAMETERS), List.of(random.nextInt(5) == 0 ? mutated(value) : value));
        }
        String body = template.body() < 0 ? "" : BODIES.get(template.body()).replace('\'', '"');
        for (int i = random.nextInt(3); i > 0; i--) {
            body = mutated(body);
        }
        return new ApiRequest(
                random.nextInt(30) == 0 ? one(METHODS) : template.method(),
                path,
                new Query(query),
                Map.of(
                        "authorization",
                        List.of("Bearer t"),
                        "content-type",
                        List.of(random.nextInt(20) == 0 ? one(TYPES) : template.type()),
                        "accept",
                        List.of(one(ACCEPTED))),
                body.getBytes(StandardCharsets.UTF_8));
    }

    private String mutated(String text) {
        int at = random.nextInt(text.length() + 1);
        int to = Math.min(text.length(), at + random.nextInt(6));
        return switch (random.nextInt(4)) {
            case 0 -> text.substring(0, at);
            case 1 -> text.substring(0, at) + text.substring(to);
            case 2 -> text.substring(0, to) + text.substring(at);
            default -> text.substring(0, at) + PIECES.charAt(random.nextInt(PIECES.length())) + text.substring(at);
        };
    }

    private <T> T one(List<T> all) {
        return all.get(random.nextInt(all.size()));
    }

    private static int code(ApiResponse response) {
        if (response instanceof ApiResponse.Document document) {
            return document.code();
        }
        if (response instanceof ApiResponse.Pieces pieces) {
            pieces.pieces().forEachRemaining(piece -> assertThat(piece).isNotEmpty());
            return 200;
        }
        ApiResponse.Stream stream = (ApiResponse.Stream) response;
        stream.source().start(() -> {});
        while (stream.source().poll() != null) {
            // only to be encoded
        }
        stream.source().close();
        return 200;
    }

    private static String describe(ApiRequest request) {
        return request.method() + " " + request.pathText() + " " + request.query() + " " + request.headers() + "\n"
                + new String(request.body(), StandardCharsets.UTF_8);
    }
}
