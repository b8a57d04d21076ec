package dev.nodepath.apiserver.http;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.nodepath.apiserver.TestCluster;
import dev.nodepath.apiserver.request.Json;
import dev.nodepath.apiserver.resource.Resource;
import dev.nodepath.apiserver.resource.Resources;
import dev.nodepath.apiserver.stream.PodStreams;
import java.net.http.HttpResponse;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The kinds of {@code kinds.txt}: stored, and said to be no more than that. */
class StoredKindsTest {
    @AutoClose
    private TestCluster cluster;

    @BeforeEach
    void start() throws Exception {
        cluster = TestCluster.withRules(PodStreams.NONE);
    }

    @Test
    void eachIsCreatedListedPatchedAndDeleted() throws Exception {
        for (Resource kind : Resources.all()) {
            if (!Resources.isOnlyStored(kind)) {
                continue;
            }
            String path = kind.basePath() + (kind.namespaced() ? "/namespaces/default/" : "/") + kind.plural();
            String object = "{'apiVersion':'" + kind.apiVersion() + "','kind':'" + kind.kind()
                    + "','metadata':{'name':'one','labels':{'a':'b'}}}";
            HttpResponse<String> created = cluster.send("POST", path, object);
            assertThat(created.statusCode()).as(path + created.body()).isEqualTo(201);
            assertThat(created.headers().firstValue("warning").orElse(""))
                    .contains(kind.kind() + ": stored; "
                            + (kind.group().equals("rbac.authorization.k8s.io")
                                    ? "reviews such as kubectl auth can-i follow it, requests do not"
                                    : "nothing in this cluster acts on it"));
            HttpResponse<String> patched = cluster.send(
                    "PATCH", path + "/one", "{'metadata':{'labels':{'c':'d'}}}", "application/merge-patch+json");
            assertThat(patched.statusCode()).as(path + patched.body()).isEqualTo(200);
            assertThat(patched.headers().firstValue("warning")).as("said once").isEmpty();
            JsonNode list = json(cluster.send("GET", path + "?labelSelector=a%3Db", ""));
            assertThat(list.path("apiVersion").asText()).isEqualTo(kind.apiVersion());
            assertThat(list.path("kind").asText()).isEqualTo(kind.kind() + "List");
            assertThat(list.path("items")).as(path).hasSize(1);
            assertThat(json(cluster.send("GET", path + "/one", ""))
                            .path("apiVersion")
                            .asText())
                    .isEqualTo(kind.apiVersion());
            assertThat(cluster.send("DELETE", path + "/one", "").statusCode())
                    .as(path)
                    .isEqualTo(200);
        }
    }

    @Test
    void saysNothingOfPoliciesWhichAgentsEnforce() throws Exception {
        assertThat(cluster.send(
                                "POST",
                                "/apis/networking.k8s.io/v1/namespaces/default/networkpolicies",
                                "{'metadata':{'name':'a'},'spec':{'podSelector':{}}}")
                        .headers()
                        .firstValue("warning"))
                .isEmpty();
    }

    @Test
    void aScalerHasTwoForms() throws Exception {
        String namespace = "/namespaces/default/horizontalpodautoscalers";
        cluster.send(
                "POST",
                "/apis/autoscaling/v1" + namespace,
                "{'metadata':{'name':'a'},'spec':{'maxReplicas':3,'targetCPUUtilizationPercentage':50}}");
        JsonNode stored = json(cluster.send("GET", "/apis/autoscaling/v2" + namespace + "/a", ""));
        assertThat(stored.at("/spec/metrics/0/resource/target/averageUtilization")
                        .asInt())
                .isEqualTo(50);
        JsonNode old = json(cluster.send("GET", "/apis/autoscaling/v1" + namespace + "/a", ""));
        assertThat(old.at("/spec/targetCPUUtilizationPercentage").asInt()).isEqualTo(50);
        assertThat(old.path("spec").has("metrics")).isFalse();
    }

    private static JsonNode json(HttpResponse<String> response) throws Exception {
        return Json.MAPPER.readTree(response.body());
    }
}
