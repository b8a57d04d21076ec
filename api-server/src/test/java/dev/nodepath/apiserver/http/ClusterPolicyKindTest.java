package dev.nodepath.apiserver.http;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.nodepath.apiserver.ClusterPolicyDefinition;
import dev.nodepath.apiserver.TestCluster;
import dev.nodepath.apiserver.request.Json;
import dev.nodepath.apiserver.resource.Resources;
import dev.nodepath.apiserver.stream.PodStreams;
import java.net.http.HttpResponse;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** ClusterNetworkPolicies, the custom kind that the cluster acts on. */
class ClusterPolicyKindTest {
    private static final String POLICIES = "/apis/policy.networking.k8s.io/v1alpha2/clusternetworkpolicies";

    @AutoClose
    private TestCluster cluster;

    @BeforeEach
    void start() throws Exception {
        cluster = TestCluster.withRules(PodStreams.NONE);
        cluster.api.create(Resources.CUSTOM_RESOURCE_DEFINITIONS, ClusterPolicyDefinition.definition());
    }

    private HttpResponse<String> create(String spec) throws Exception {
        return cluster.send(
                "POST", POLICIES + "?fieldValidation=Strict", "{'metadata':{'name':'p'},'spec':" + spec + "}");
    }

    private static String spec(String more) {
        return "{'tier':'Admin','priority':10,'subject':{'namespaces':{}}" + more + "}";
    }

    @Test
    void everyFieldIsStoredAndShown() throws Exception {
        String rules = ",'ingress':[{'name':'a','action':'Accept','from':[{'namespaces':{'matchLabels':{'a':'b'}}},"
                + "{'pods':{'namespaceSelector':{},'podSelector':{'matchExpressions':[{'key':'k','operator':'In',"
                + "'values':['v']}]}}}],'protocols':[{'tcp':{'destinationPort':{'number':80}}},"
                + "{'udp':{'destinationPort':{'range':{'start':1,'end':2}}}},{'destinationNamedPort':'web'}]}],"
                + "'egress':[{'action':'Deny','to':[{'nodes':{}},{'networks':['10.0.0.0/8','fd00::/8']},"
                + "{'domainNames':['*.example.org']}],'protocols':[{'sctp':{'destinationPort':{'number':7}}}]}]";
        HttpResponse<String> created = create(spec(rules));
        assertThat(created.statusCode()).as(created.body()).isEqualTo(201);
        assertThat(Json.MAPPER.readTree(created.body()).path("spec"))
                .isEqualTo(Json.MAPPER.readTree(spec(rules).replace('\'', '"')));
        JsonNode table = Json.MAPPER.readTree(cluster.client
                .send(
                        cluster.request(POLICIES)
                                .header("Accept", "application/json;as=Table;v=v1;g=meta.k8s.io")
                                .build(),
                        HttpResponse.BodyHandlers.ofString())
                .body());
        assertThat(table.path("columnDefinitions").findValuesAsText("name"))
                .containsExactly("Name", "Tier", "Priority", "Age");
        assertThat(table.at("/rows/0/cells").toString()).startsWith("[\"p\",\"Admin\",\"10\",");
    }

    static Stream<Arguments> misfits() {
        String deny = ",'ingress':[{'action':'Deny','from':[%s]%s}]";
        String all = "{'namespaces':{}}";
        String tcp = ",'protocols':[{'tcp':%s}]";
        String egress = ",'egress':[{'action':'Accept','to':[%s]%s}]";
        String allRules = String.join(",", List.of("{'action':'Deny','from':[{'namespaces':{}}]},".repeat(26)));
        return Stream.of(
                Arguments.of("{}", "spec.priority: Required value"),
                Arguments.of("{}", "spec.subject: Required value"),
                Arguments.of("{}", "spec.tier: Required value"),
                Arguments.of(
                        "{'tier':'Mine','priority':10,'subject':{'namespaces':{}}}",
                        "spec.tier: Unsupported value: \"Mine\": supported values: \"Admin\", \"Baseline\""),
                Arguments.of(
                        "{'tier':'Admin','priority':1001,'subject':{'namespaces':{}}}",
                        "spec.priority: Invalid value: 1001: spec.priority in body should be less than or equal to 1000"),
                Arguments.of(
                        "{'tier':'Admin','priority':-1,'subject':{'namespaces':{}}}",
                        "spec.priority: Invalid value: -1: spec.priority in body should be greater than or equal to 0"),
                Arguments.of(
                        "{'tier':'Admin','priority':'high','subject':{'namespaces':{}}}",
                        "spec.priority: Invalid value: \"string\": spec.priority in body must be of type integer:"
                                + " \"string\""),
                Arguments.of(
                        "{'tier':'Admin','priority':1,'subject':{}}",
                        "spec.subject: Invalid value: 0: spec.subject in body should have at least 1 properties"),
                Arguments.of(
                        "{'tier':'Admin','priority':1,'subject':{'namespaces':{},'pods':{'podSelector':{}}}}",
                        "spec.subject: Too many: 2: must have at most 1 items"),
                Arguments.of(
                        "{'tier':'Admin','priority':1,'subject':{'pods':{}}}",
                        "spec.subject.pods.podSelector: Required value"),
                Arguments.of(
                        spec(",'ingress':[{'action':'Allow','from':[{'namespaces':{}}]}]"),
                        "spec.ingress[0].action: Unsupported value: \"Allow\": supported values: \"Accept\", \"Deny\","
                                + " \"Pass\""),
                Arguments.of(spec(",'ingress':[{'action':'Deny'}]"), "spec.ingress[0].from: Required value"),
                Arguments.of(
                        spec(deny.formatted("", "")),
                        "spec.ingress[0].from: Invalid value: 0: spec.ingress[0].from in body should have at least 1 items"),
                Arguments.of(
                        spec(",'ingress':[" + allRules.substring(0, allRules.length() - 1) + "]"),
                        "spec.ingress: Too many: 26: must have at most 25 items"),
                Arguments.of(
                        spec(deny.formatted(all, ",'name':'" + "x".repeat(101) + "'")),
                        "spec.ingress[0].name: Too long: may not be more than 100 bytes"),
                Arguments.of(
                        spec(deny.formatted(all, tcp.formatted("{'destinationPort':{'number':65536}}"))),
                        "spec.ingress[0].protocols[0].tcp.destinationPort.number: Invalid value: 65536:"
                                + " spec.ingress[0].protocols[0].tcp.destinationPort.number in body should be less than"
                                + " or equal to 65535"),
                Arguments.of(
                        spec(deny.formatted(all, tcp.formatted("{'destinationPort':{'range':{'start':2,'end':2}}}"))),
                        "spec.ingress[0].protocols[0].tcp.destinationPort.range: Invalid value: \"object\": Start port"
                                + " must be less than End port"),
                Arguments.of(
                        spec(egress.formatted("{'networks':['10.0.0.0/33']}", "")),
                        "spec.egress[0].to[0].networks[0]: Invalid value: \"string\": Invalid CIDR format provided"),
                Arguments.of(
                        spec(egress.formatted("{'networks':['10.0.0.0/8','10.0.0.0/8']}", "")),
                        "spec.egress[0].to[0].networks[1]: Duplicate value: \"10.0.0.0/8\""),
                Arguments.of(
                        spec(egress.formatted("{'nodes':{}}", ",'protocols':[{'destinationNamedPort':'web'}]")),
                        "spec.egress[0]: Invalid value: \"object\": networks/nodes/domainNames peer cannot be set with"
                                + " namedPorts since there are no namedPorts for networks/nodes/domainNames"),
                Arguments.of(
                        spec(egress.formatted("{'domainNames':['*']}", "")),
                        "spec.egress[0].to[0].domainNames[0]: Invalid value: \"*\": spec.egress[0].to[0].domainNames[0]"
                                + " in body should match '^(\\*\\.)?([a-zA-Z0-9]"));
    }

    @ParameterizedTest
    @MethodSource("misfits")
    void whatDoesNotFitIsRefusedInKubernetesWords(String spec, String message) throws Exception {
        HttpResponse<String> answer = create(spec);
        assertThat(answer.statusCode()).as(answer.body()).isEqualTo(422);
        assertThat(Json.MAPPER.readTree(answer.body()).path("message").asText())
                .startsWith("ClusterNetworkPolicy.policy.networking.k8s.io \"p\" is invalid: ")
                .contains(message);
    }

    @Test
    void unknownFieldsAreRefusedOrPruned() throws Exception {
        String rule = ",'ingress':[{'action':'Deny','from':[{'namespaces':{}}],'ports':[{}]}]";
        HttpResponse<String> strict = create(spec(rule));
        assertThat(strict.statusCode()).isEqualTo(400);
        assertThat(strict.body()).contains("strict decoding error: unknown field \\\"spec.ingress[0].ports\\\"");
        HttpResponse<String> ignored = cluster.send(
                "POST", POLICIES + "?fieldValidation=Ignore", "{'metadata':{'name':'p'},'spec':" + spec(rule) + "}");
        assertThat(Json.MAPPER.readTree(ignored.body()).at("/spec/ingress/0").has("ports"))
                .isFalse();
    }

    /** A peer of a later version is empty without its field. */
    @Test
    void aPeerOfALaterVersionIsRefused() throws Exception {
        HttpResponse<String> answer = cluster.send(
                "POST",
                POLICIES + "?fieldValidation=Ignore",
                "{'metadata':{'name':'p'},'spec':"
                        + spec(",'ingress':[{'action':'Deny','from':[{'serviceAccounts':{}}]}]") + "}");
        assertThat(answer.body()).contains("spec.ingress[0].from[0] in body should have at least 1 properties");
    }

    @Test
    void conditionsAreAStatusOfTheirOwn() throws Exception {
        create(spec(""));
        HttpResponse<String> patched = cluster.send(
                "PATCH",
                POLICIES + "/p/status",
                "{'status':{'conditions':[{'type':'A','status':'True'}]}}",
                "application/merge-patch+json");
        assertThat(patched.statusCode()).as(patched.body()).isEqualTo(200);
        assertThat(cluster.getTree(POLICIES + "/p")
                        .at("/status/conditions/0/type")
                        .asText())
                .isEqualTo("A");
    }
}
