package dev.nodepath.apiserver.http;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.nodepath.apiserver.TestCluster;
import dev.nodepath.apiserver.request.Json;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.List;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** A user's identity and rights, as {@code kubectl auth can-i --as} asks for them. */
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
                        + "'ClusterRole','name':'view'},'subjects':[{'kind':'Group','name':'staff'},{'kind':'User','name':'twice'}]}");
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
        bob  | x;staff | 'verb':'get','resource':'pods','subresource':'log' | RBAC: allowed by ClusterRoleBinding "viewers" of ClusterRole "view" to Group "staff"
        bob  | staff | 'verb':'get','resource':'nodes','subresource':'status' | RBAC: allowed by ClusterRoleBinding "viewers" of ClusterRole "view" to Group "staff"
        bob  | staff | 'verb':'get','resource':'pods','subresource':'exec'  | ##
        bob  | staff | 'verb':'delete','resource':'pods'                    | ##
        bob  | staff | 'verb':'get','resource':'pods','group':'apps'        | ##
        bob  | ##    | 'verb':'list','resource':'pods'                      | ##
        jane | ##    | 'verb':'get','resource':'pods','namespace':'default','name':'mine' | RBAC: allowed by RoleBinding "ours/default" of Role "one" to User "jane"
        jane | ##    | 'verb':'get','resource':'pods','namespace':'default' | ##
        jane | ##    | 'verb':'get','resource':'pods','namespace':'other','name':'mine' | ##
        system:serviceaccount:default:bot | ## | 'verb':'get','resource':'pods','namespace':'default','name':'mine' | RBAC: allowed by RoleBinding "ours/default" of Role "one" to ServiceAccount "bot/default"
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
        jane | a;cn=b,ou=c | {"username":"jane","groups":["a","cn=b,ou=c","system:authenticated"]}
        jane | system:unauthenticated | {"username":"jane","groups":["system:unauthenticated"]}
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

    @Test
    void nobodyIsLimitedWhoIsOfTheMasters() throws Exception {
        String body = "'SelfSubjectAccessReview','apiVersion':'authorization.k8s.io/v1','spec':{'resourceAttributes':"
                + "{'verb':'delete','resource':'nodes'}}";
        String path = "authorization.k8s.io/v1/selfsubjectaccessreviews";
        assertThat(review(path, body, "", ""))
                .hasToString("{\"allowed\":true,\"reason\":\"this cluster's token may do everything\"}");
        assertThat(review(path, body, "root", "system:masters")).hasToString("{\"allowed\":true}");
    }

    @Test
    void aUserIsGivenEachRuleOnceThoughTwoSubjectsAreHe() throws Exception {
        create(
                "clusterroles",
                "{'metadata':{'name':'odd'},'rules':[{'verbs':['get'],'apiGroups':[''],"
                        + "'resources':['nodes'],'nonResourceURLs':[]}]}");
        create(
                "clusterrolebindings",
                "{'metadata':{'name':'odd'}," + REFERENCE
                        + "'ClusterRole','name':'odd'},'subjects':[{'kind':'User','name':'twice'}]}");
        String body = "'SelfSubjectRulesReview','apiVersion':'authorization.k8s.io/v1','spec':{'namespace':'default'}";
        JsonNode status = review("authorization.k8s.io/v1/selfsubjectrulesreviews", body, "twice", "staff");
        assertThat(status.path("resourceRules")).hasSize(2);
        assertThat(status.path("nonResourceRules")).hasSize(1);
    }

    @Test
    void aBindingOfARoleThatIsNotThereSaysSo() throws Exception {
        for (String name : List.of("x", "y")) {
            create(
                    "clusterrolebindings",
                    "{'metadata':{'name':'" + name + "'}," + REFERENCE + "'ClusterRole','name':'" + name
                            + "'},'subjects':[{'kind':'User','name':'" + name + "'},{'kind':'Group','name':'all'}]}");
        }
        String missing = "clusterrole.rbac.authorization.k8s.io \"x\" not found";
        String body = "'SelfSubjectAccessReview','apiVersion':'authorization.k8s.io/v1','spec':{'resourceAttributes':"
                + "{'verb':'get','resource':'pods'}}";
        String path = "authorization.k8s.io/v1/selfsubjectaccessreviews";
        assertThat(review(path, body, "x", "").path("reason").asText()).isEqualTo("RBAC: " + missing);
        assertThat(review(path, body, "bob", "all").path("reason").asText())
                .isEqualTo("RBAC: [" + missing + ", " + missing.replace('x', 'y') + "]");
        assertThat(review(path, body, "x", "staff").path("allowed").asBoolean()).isTrue();
        assertThat(review(
                                "authorization.k8s.io/v1/selfsubjectrulesreviews",
                                "'SelfSubjectRulesReview','spec':{'namespace':'default'}",
                                "x",
                                "")
                        .path("evaluationError")
                        .asText())
                .isEqualTo(missing);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '#', textBlock = """
        selfsubjectaccessreviews | SelfSubjectAccessReview | | spec.resourceAttributes: Invalid value: null: exactly one of nonResourceAttributes or resourceAttributes must be specified
        selfsubjectaccessreviews | SelfSubjectAccessReview | 'resourceAttributes':{},'nonResourceAttributes':{} | spec.nonResourceAttributes: Invalid value: {}: cannot be specified in combination with resourceAttributes
        subjectaccessreviews | SubjectAccessReview | 'resourceAttributes':{} | spec.user: Invalid value: "": at least one of user or group must be specified
        namespaces/a/localsubjectaccessreviews | LocalSubjectAccessReview | 'user':'u','resourceAttributes':{'namespace':'b'} | spec.resourceAttributes.namespace: Invalid value: "b": must match metadata.namespace
        namespaces/a/localsubjectaccessreviews | LocalSubjectAccessReview | 'user':'u','nonResourceAttributes':{} | spec.nonResourceAttributes: Invalid value: {}: disallowed on this kind of request
        """)
    void aQuestionThatIsNoneIsRefused(String path, String kind, String spec, String why) throws Exception {
        HttpResponse<String> answer = cluster.send(
                "POST",
                "/apis/authorization.k8s.io/v1/" + path,
                "{'kind':'" + kind + "','spec':{" + (spec == null ? "" : spec) + "}}");
        assertThat(answer.statusCode()).isEqualTo(422);
        assertThat(Json.MAPPER.readTree(answer.body()).path("message").asText())
                .isEqualTo(kind + ".authorization.k8s.io \"\" is invalid: " + why);
    }

    @ParameterizedTest
    @ValueSource(strings = {"impersonate-group", "impersonate-uid", "impersonate-extra-scopes"})
    void nothingOfAUserIsTakenWithoutHisName(String header) throws Exception {
        HttpResponse<String> answer = cluster.client.send(
                question("authentication.k8s.io/v1/selfsubjectreviews", "'SelfSubjectReview'")
                        .header(header, "x")
                        .build(),
                HttpResponse.BodyHandlers.ofString());
        assertThat(answer.statusCode()).isEqualTo(400);
        assertThat(answer.body()).contains("requested [" + header + "] without impersonating a user");
    }

    @Test
    void whatElseIsKnownOfAUserIsTold() throws Exception {
        HttpResponse<String> answer = cluster.client.send(
                question("authentication.k8s.io/v1/selfsubjectreviews", "'SelfSubjectReview'")
                        .header("Impersonate-User", "jane")
                        .header("Impersonate-Uid", "7")
                        .header("Impersonate-Extra-acme.com%2Fproject", "one")
                        .header("Impersonate-Extra-scopes", "view")
                        .header("Impersonate-Extra-scopes", "a,b")
                        .build(),
                HttpResponse.BodyHandlers.ofString());
        assertThat(Json.MAPPER.readTree(answer.body()).at("/status/userInfo"))
                .hasToString("{\"username\":\"jane\",\"uid\":\"7\",\"groups\":[\"system:authenticated\"],"
                        + "\"extra\":{\"acme.com/project\":[\"one\"],\"scopes\":[\"view\",\"a,b\"]}}");
    }

    @Test
    void aRequestForACertificateNamesItsAuthor() throws Exception {
        HttpResponse<String> answer = cluster.client.send(
                question(
                                "certificates.k8s.io/v1/certificatesigningrequests",
                                "'CertificateSigningRequest','metadata':{'name':'a'},'spec':{'username':'root',"
                                        + "'groups':['system:masters'],'signerName':'a.example/b'}")
                        .header("Impersonate-User", "jane")
                        .build(),
                HttpResponse.BodyHandlers.ofString());
        assertThat(Json.MAPPER.readTree(answer.body()).path("spec"))
                .hasToString("{\"signerName\":\"a.example/b\",\"username\":\"jane\","
                        + "\"groups\":[\"system:authenticated\"]}");
    }

    private HttpRequest.Builder question(String path, String body) {
        return cluster.request("/apis/" + path)
                .header("Content-Type", "application/json")
                .POST(HttpRequest.BodyPublishers.ofString(("{'kind':" + body + "}").replace('\'', '"')));
    }

    private JsonNode review(String path, String body, String user, String groups) throws Exception {
        HttpRequest.Builder request = question(path, body);
        if (!user.isEmpty()) {
            request.header("Impersonate-User", user);
        }
        for (String group : groups.isEmpty() ? new String[0] : groups.split(";", -1)) {
            request.header("Impersonate-Group", group);
        }
        HttpResponse<String> answer = cluster.client.send(request.build(), HttpResponse.BodyHandlers.ofString());
        assertThat(answer.statusCode()).as(answer.body()).isEqualTo(201);
        return Json.MAPPER.readTree(answer.body()).path("status");
    }
}
