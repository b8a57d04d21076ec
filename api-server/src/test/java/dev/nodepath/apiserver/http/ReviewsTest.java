package dev.nodepath.apiserver.http;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.nodepath.apiserver.TestCluster;
import dev.nodepath.apiserver.request.Json;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Who somebody is and what he may, as {@code kubectl auth can-i --as} asks. */
class ReviewsTest {
    private static final String RBAC = "/apis/rbac.authorization.k8s.io/v1/";
    private static final String REFERENCE = "'roleRef':{'apiGroup':'rbac.authorization.k8s.io','kind':";

    @AutoClose
    private TestCluster cluster;

    @BeforeEach
    void addRoles() throws Exception {
        cluster = new TestCluster();
        create(
                "clusterroles",
                "{'metadata':{'name':'view'},'rules':[{'verbs':['get','list'],'apiGroups':[''],'resources':['pods',"
                        + "'pods/log','*/status']},{'verbs':['get'],'nonResourceURLs':['/healthz','/metrics/*']}]}");
        create(
                "clusterrolebindings",
                "{'metadata':{'name':'viewers'}," + REFERENCE
                        + "'ClusterRole','name':'view'},'subjects':[{'kind':'Group','name':'staff'}]}");
        create(
                "namespaces/default/roles",
                "{'metadata':{'name':'one'},'rules':[{'verbs':['*'],'apiGroups':['*'],'resources':['*'],"
                        + "'resourceNames':['mine']}]}");
        create(
                "namespaces/default/rolebindings",
                "{'metadata':{'name':'ours'}," + REFERENCE
                        + "'Role','name':'one'},'subjects':[{'kind':'ServiceAccount',"
                        + "'name':'bot','namespace':'default'},{'kind':'User','name':'jane'}]}");
    }

    private void create(String path, String object) throws Exception {
        assertThat(cluster.send("POST", RBAC + path, object).statusCode()).isEqualTo(201);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '#', textBlock = """
        bob  | staff | 'verb':'list','resource':'pods'                      | RBAC: allowed by ClusterRoleBinding "viewers" of ClusterRole "view" to Group "staff"
        bob  | x,staff | 'verb':'get','resource':'pods','subresource':'log' | RBAC: allowed by ClusterRoleBinding "viewers" of ClusterRole "view" to Group "staff"
        bob  | staff | 'verb':'get','resource':'nodes','subresource':'status' | RBAC: allowed by ClusterRoleBinding "viewers" of ClusterRole "view" to Group "staff"
        bob  | staff | 'verb':'get','resource':'pods','subresource':'exec'  | ##
        bob  | staff | 'verb':'delete','resource':'pods'                    | ##
        bob  | staff | 'verb':'get','resource':'pods','group':'apps'        | ##
        bob  | ##    | 'verb':'list','resource':'pods'                      | ##
        jane | ##    | 'verb':'get','resource':'pods','namespace':'default','name':'mine' | RBAC: allowed by RoleBinding "ours/default" of Role "one" to User "jane"
        jane | ##    | 'verb':'get','resource':'pods','namespace':'default' | ##
        jane | ##    | 'verb':'get','resource':'pods','namespace':'other','name':'mine' | ##
        system:serviceaccount:default:bot | ## | 'verb':'get','resource':'pods','namespace':'default','name':'mine' | RBAC: allowed by RoleBinding "ours/default" of Role "one" to ServiceAccount "bot/default"
        root | system:masters | 'verb':'delete','resource':'nodes'          | this cluster's token may do everything
        """)
    void rolesSayWhatAUserMay(String user, String groups, String attributes, String reason) throws Exception {
        JsonNode status = review(
                "authorization.k8s.io/v1/selfsubjectaccessreviews",
                "'SelfSubjectAccessReview','apiVersion':'authorization.k8s.io/v1','spec':{'resourceAttributes':{"
                        + attributes + "}}",
                user,
                groups);
        assertThat(status.path("reason").asText()).isEqualTo(reason);
        assertThat(status.path("allowed").asBoolean()).isEqualTo(!reason.isEmpty());
    }

    @ParameterizedTest
    @CsvSource({"/healthz, true", "/metrics/a, true", "/metrics, false", "/version, false"})
    void andWhichPaths(String path, boolean allowed) throws Exception {
        JsonNode status = review(
                "authorization.k8s.io/v1/subjectaccessreviews",
                "'SubjectAccessReview','apiVersion':'authorization.k8s.io/v1','spec':{'user':'bob','groups':['staff'],"
                        + "'nonResourceAttributes':{'verb':'get','path':'" + path + "'}}",
                "",
                "");
        assertThat(status.path("allowed").asBoolean()).isEqualTo(allowed);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '#', textBlock = """
        ##   | ##  | {"username":"kubernetes-admin","groups":["system:masters","system:authenticated"]}
        jane | a,b | {"username":"jane","groups":["a","b","system:authenticated"]}
        system:serviceaccount:default:bot | ## | {"username":"system:serviceaccount:default:bot","groups":["system:serviceaccounts","system:serviceaccounts:default","system:authenticated"]}
        system:anonymous | ## | {"username":"system:anonymous","groups":["system:unauthenticated"]}
        """)
    void whoAUserIs(String user, String groups, String info) throws Exception {
        JsonNode status = review(
                "authentication.k8s.io/v1/selfsubjectreviews",
                "'SelfSubjectReview','apiVersion':'authentication.k8s.io/v1'",
                user,
                groups);
        assertThat(status.path("userInfo").toString()).isEqualTo(info);
    }

    @Test
    void theRulesOfAUserAreListed() throws Exception {
        String body = "'SelfSubjectRulesReview','apiVersion':'authorization.k8s.io/v1','spec':{'namespace':'default'}";
        JsonNode status = review("authorization.k8s.io/v1/selfsubjectrulesreviews", body, "jane", "staff");
        assertThat(status.path("resourceRules")).hasSize(2);
        assertThat(status.path("nonResourceRules")).hasSize(1);
    }

    private JsonNode review(String path, String body, String user, String groups) throws Exception {
        HttpRequest.Builder request = cluster.request("/apis/" + path)
                .header("Content-Type", "application/json")
                .POST(HttpRequest.BodyPublishers.ofString(("{'kind':" + body + "}").replace('\'', '"')));
        if (!user.isEmpty()) {
            request.header("Impersonate-User", user);
        }
        for (String group : groups.isEmpty() ? new String[0] : groups.split(",", -1)) {
            request.header("Impersonate-Group", group);
        }
        HttpResponse<String> answer = cluster.client.send(request.build(), HttpResponse.BodyHandlers.ofString());
        assertThat(answer.statusCode()).as(answer.body()).isEqualTo(201);
        return Json.MAPPER.readTree(answer.body()).path("status");
    }
}
