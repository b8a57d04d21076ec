package dev.nodepath.apiserver.http;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.nodepath.apiserver.TestCluster;
import dev.nodepath.apiserver.request.Json;
import dev.nodepath.apiserver.stream.PodStreams;
import java.net.http.HttpResponse;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Kinds that CustomResourceDefinitions make. */
class CustomKindsTest {
    private static final String DEFINITIONS = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
    private static final String CRON_TABS = "/apis/stable.example.com/v1/namespaces/default/crontabs";
    private static final String TABLE = "application/json;as=Table;v=v1;g=meta.k8s.io";

    @AutoClose
    private TestCluster cluster;

    @BeforeEach
    void start() throws Exception {
        cluster = TestCluster.withRules(PodStreams.NONE);
    }

    @Test
    void aDefinitionMakesItsKindAtOnce() throws Exception {
        assertThat(cluster.get(CRON_TABS).statusCode()).isEqualTo(404);
        HttpResponse<String> created = create(definition("crontabs", "CronTab", "ct", true));
        JsonNode definition = json(created);
        assertThat(created.headers().firstValue("warning").orElse(""))
                .contains("CronTab: stored; nothing in this cluster acts on it");
        assertThat(definition.at("/status/conditions/0/type").asText()).isEqualTo("NamesAccepted");
        assertThat(definition.at("/status/conditions/1/type").asText()).isEqualTo("Established");
        assertThat(definition.at("/status/conditions").findValuesAsText("status"))
                .containsOnly("True");
        assertThat(definition.at("/status/acceptedNames/listKind").asText()).isEqualTo("CronTabList");
        assertThat(definition.at("/status/storedVersions/0").asText()).isEqualTo("v1");

        HttpResponse<String> object = cluster.send(
                "POST",
                CRON_TABS,
                "{'metadata':{'name':'a'},'spec':{'replicas':2,'any':[{'x':null}]},'status':{'a':1}}");
        assertThat(object.statusCode()).as(object.body()).isEqualTo(201);
        assertThat(object.headers().firstValue("warning")).isEmpty();
        JsonNode stored = cluster.getTree(CRON_TABS + "/a");
        assertThat(stored.path("spec").toString()).isEqualTo("{\"replicas\":2,\"any\":[{\"x\":null}]}");
        assertThat(stored.has("status")).as("a subresource").isFalse();
        assertThat(cluster.getTree(CRON_TABS).path("kind").asText()).isEqualTo("CronTabList");
    }

    @Test
    void discoveryAndOpenApiNameIt() throws Exception {
        create(definition("crontabs", "CronTab", "ct", true));
        JsonNode resources = cluster.getTree("/apis/stable.example.com/v1").path("resources");
        assertThat(resources.findValuesAsText("name")).containsExactly("crontabs", "crontabs/status", "crontabs/scale");
        assertThat(resources.path(0).path("shortNames").path(0).asText()).isEqualTo("ct");
        assertThat(cluster.getTree("/apis").toString()).contains("stable.example.com");
        JsonNode document = cluster.getTree("/openapi/v3/apis/stable.example.com/v1");
        assertThat(document.at("/components/schemas/com.example.stable.v1.CronTab/properties/spec/properties/cron/type")
                        .asText())
                .isEqualTo("string");
        assertThat(document.toString()).doesNotContain("strategic-merge-patch");
        assertThat(cluster.getTree("/openapi/v3").path("paths").has("apis/stable.example.com/v1"))
                .isTrue();
        assertThat(cluster.getTree("/openapi/v2").path("definitions").has("com.example.stable.v1.CronTab"))
                .isTrue();
    }

    @Test
    void versionsAreOneObject() throws Exception {
        create(definition("crontabs", "CronTab", "ct", true));
        cluster.send("POST", CRON_TABS, "{'metadata':{'name':'a'},'spec':{'cron':'x'}}");
        String beta = CRON_TABS.replace("/v1/", "/v1beta1/") + "/a";
        JsonNode other = cluster.getTree(beta);
        assertThat(other.path("apiVersion").asText()).isEqualTo("stable.example.com/v1beta1");
        cluster.send("PATCH", beta, "{'spec':{'cron':'y'}}", "application/merge-patch+json");
        assertThat(cluster.getTree(CRON_TABS + "/a").at("/spec/cron").asText()).isEqualTo("y");
        assertThat(cluster.getTree("/apis/stable.example.com")
                        .at("/preferredVersion/version")
                        .asText())
                .isEqualTo("v1");
    }

    @Test
    void columnsAreThoseOfTheDefinition() throws Exception {
        create(definition("crontabs", "CronTab", "ct", true));
        cluster.send(
                "POST", CRON_TABS, "{'metadata':{'name':'a'},'spec':{'cron':'* *','hosts':[{'n':'x'},{'n':'y'}]}}");
        cluster.send(
                "PATCH",
                CRON_TABS + "/a/status",
                "{'status':{'conditions':[{'type':'A','status':'1'},{'type':'Ready','status':'True'}]}}",
                "application/merge-patch+json");
        JsonNode table = Json.MAPPER.readTree(cluster.client
                .send(cluster.request(CRON_TABS).header("Accept", TABLE).build(), HttpResponse.BodyHandlers.ofString())
                .body());
        assertThat(table.path("columnDefinitions").findValuesAsText("name"))
                .containsExactly("Name", "Cron", "Hosts", "Ready", "Missing");
        assertThat(table.at("/rows/0/cells").toString()).isEqualTo("[\"a\",\"* *\",\"[x,y]\",\"True\",\"\"]");
    }

    @Test
    void patchesMergeAndApplyOwnsFields() throws Exception {
        create(definition("crontabs", "CronTab", "ct", true));
        HttpResponse<String> strategic =
                cluster.send("PATCH", CRON_TABS + "/a", "{'spec':{}}", "application/strategic-merge-patch+json");
        assertThat(strategic.statusCode()).isEqualTo(415);
        String apply = "application/apply-patch+yaml";
        String object =
                "{'apiVersion':'stable.example.com/v1','kind':'CronTab','metadata':{'name':'a'},'spec':{'cron':'%s'}}";
        HttpResponse<String> made =
                cluster.send("PATCH", CRON_TABS + "/a?fieldManager=one", object.formatted("x"), apply);
        assertThat(made.statusCode()).as(made.body()).isEqualTo(201);
        assertThat(cluster.send("PATCH", CRON_TABS + "/a?fieldManager=two", object.formatted("y"), apply)
                        .statusCode())
                .isEqualTo(409);
    }

    /** Like Knative's Service: the rules of the built-in kind with this name do not apply. */
    @Test
    void aKindMayHaveTheNameOfABuiltInOne() throws Exception {
        create("{'metadata':{'name':'services.serving.example.com'},'spec':{'group':'serving.example.com',"
                + "'scope':'Namespaced','names':{'plural':'services','kind':'Service'},"
                + "'versions':[{'name':'v1','served':true,'storage':true,"
                + "'schema':{'openAPIV3Schema':{'type':'object'}}}]}}");
        HttpResponse<String> created = cluster.send(
                "POST",
                "/apis/serving.example.com/v1/namespaces/default/services",
                "{'metadata':{'name':'a.b'},'spec':{'ports':'none'}}");
        assertThat(created.statusCode()).as(created.body()).isEqualTo(201);
        assertThat(json(created).path("spec").toString()).isEqualTo("{\"ports\":\"none\"}");
    }

    @Test
    void namesThatAnotherDefinitionHasAreNotAccepted() throws Exception {
        create(definition("crontabs", "CronTab", "ct", true));
        JsonNode second = json(create(definition("cats", "CronTab", "cat", true)));
        assertThat(second.at("/status/conditions/0").toString())
                .contains("\"False\"", "ListKindConflict", "\\\"CronTabList\\\" is already in use");
        assertThat(second.at("/status/conditions/1").toString())
                .contains("Established", "\"False\"", "NotAccepted", "not all names are accepted");
        assertThat(cluster.get("/apis/stable.example.com/v1/namespaces/default/cats")
                        .statusCode())
                .isEqualTo(404);
        JsonNode third = json(create(definition("cars", "Car", "ct", true)));
        assertThat(third.at("/status/conditions/0/message").asText()).isEqualTo("\"ct\" is already in use");
        assertThat(third.at("/status/conditions/0/reason").asText()).isEqualTo("ShortNamesConflict");
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            'plural':'crontabs'|'plural':'tabs'|metadata.name: Invalid value: "crontabs.stable.example.com": must be spec.names.plural+"."+spec.group
            'group':'stable.example.com'|'group':'apps'|spec.group: Invalid value: "apps": should be a domain with at least one dot
            'scope':'Namespaced'|'scope':'All'|spec.scope: Unsupported value: "All": supported values: "Cluster", "Namespaced"
            'storage':true|'storage':false|spec.versions: Invalid value
            'v1beta1'|'v1'|must contain unique version names
            """)
    void faultsAreRefused(String right, String wrong, String words) throws Exception {
        String definition = definition("crontabs", "CronTab", "ct", true);
        assertThat(definition).contains(right);
        HttpResponse<String> refused = cluster.send("POST", DEFINITIONS, definition.replace(right, wrong));
        assertThat(refused.statusCode()).as(refused.body()).isEqualTo(422);
        assertThat(json(refused).path("message").asText()).contains(words);
    }

    private HttpResponse<String> create(String definition) throws Exception {
        HttpResponse<String> created = cluster.send("POST", DEFINITIONS, definition);
        assertThat(created.statusCode()).as(created.body()).isEqualTo(201);
        return created;
    }

    private static String definition(String plural, String kind, String shortName, boolean served) {
        return "{'metadata':{'name':'" + plural + ".stable.example.com'},'spec':{'group':'stable.example.com',"
                + "'scope':'Namespaced','names':{'plural':'" + plural + "','kind':'" + kind + "','shortNames':['"
                + shortName + "']},'versions':[{'name':'v1beta1','served':" + served
                + ",'storage':false,'schema':{'openAPIV3Schema':{'type':'object'}},'subresources':{'status':{}}},"
                + "{'name':'v1','served':true,'storage':true,'schema':{'openAPIV3Schema':{'type':'object','properties':"
                + "{'spec':{'type':'object','properties':{'cron':{'type':'string'}}}}}},"
                + "'subresources':{'status':{},'scale':{'specReplicasPath':'.spec.replicas',"
                + "'statusReplicasPath':'.status.replicas'}},'additionalPrinterColumns':["
                + "{'name':'Cron','type':'string','jsonPath':'.spec.cron'},"
                + "{'name':'Hosts','type':'string','jsonPath':'.spec.hosts[*].n'},"
                + "{'name':'Ready','type':'string','jsonPath':'.status.conditions[?(@.type==\\\"Ready\\\")].status'},"
                + "{'name':'Missing','type':'integer','jsonPath':'.spec.none'}]}]}}";
    }

    private static JsonNode json(HttpResponse<String> response) throws Exception {
        return Json.MAPPER.readTree(response.body());
    }
}
