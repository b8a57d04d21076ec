package dev.nodepath.apiserver.http;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.nodepath.apiserver.TestCluster;
import dev.nodepath.apiserver.resource.ObjectKey;
import dev.nodepath.apiserver.resource.Resources;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.URI;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * The use of the server by kubectl: the one on the path (Debian's package kubernetes-client), or that of the
 * environment variable NODEPATH_KUBECTL.
 */
@Tag("netns") // it needs a program that scripts/test installs
class KubectlTest {
    private static final String KUBECTL =
            Optional.ofNullable(System.getenv("NODEPATH_KUBECTL")).orElse("kubectl");

    private static final String WEB = """
            apiVersion: apps/v1
            kind: Deployment
            metadata: {name: web, labels: {app: web}}
            spec:
              replicas: 2
              selector: {matchLabels: {app: web}}
              template:
                metadata: {labels: {app: web}}
                spec:
                  containers:
                  - name: c
                    image: nginx:1
                    ports: [{containerPort: 80}]
                    env: [{name: A, value: "1"}, {name: B, value: "2"}]
            ---
            apiVersion: v1
            kind: Service
            metadata: {name: web}
            spec: {selector: {app: web}, ports: [{port: 80, targetPort: 8080}]}
            """;

    @TempDir
    private Path folder;

    @AutoClose
    private TestCluster cluster;

    private Map<String, String> environment = Map.of();

    @BeforeEach
    void start() throws Exception {
        cluster = TestCluster.withRules(new ScriptedPods());
        Files.writeString(folder.resolve("kubeconfig"), cluster.kubeconfig());
        Files.writeString(folder.resolve("web.yaml"), WEB);
    }

    @Test
    void appliesAsAClient() throws Exception {
        run("apply -f web.yaml", "deployment.apps/web created\nservice/web created\n");
        run("apply -f web.yaml", "deployment.apps/web unchanged\nservice/web unchanged\n");
        Files.writeString(
                folder.resolve("web.yaml"),
                WEB.replace("{name: B, value: \"2\"}", "{name: C, value: \"3\"}")
                        .replace("replicas: 2", "replicas: 3"));
        run("apply -f web.yaml", "deployment.apps/web configured\nservice/web unchanged\n");
        run(
                "get deploy web -o jsonpath={.spec.replicas}{range.spec.template.spec.containers[0].env[*]}{.name}{end}",
                "3AC");
    }

    @Test
    void appliesAsTheServerAndNamesConflicts() throws Exception {
        run(
                "apply --server-side -f web.yaml",
                "deployment.apps/web serverside-applied\nservice/web serverside-applied\n");
        run("scale deploy web --replicas=5", "deployment.apps/web scaled\n");
        Files.writeString(folder.resolve("web.yaml"), WEB.replace(", {name: B, value: \"2\"}", ""));
        assertThat(output("apply --server-side -f web.yaml"))
                .contains("Apply failed with 1 conflict: conflict with \"kubectl\"")
                .contains("using apps/v1")
                .contains(": .spec.replicas");
        run(
                "apply --server-side --force-conflicts -f web.yaml",
                "deployment.apps/web serverside-applied\nservice/web serverside-applied\n");
        run(
                "get deploy web -o jsonpath={.spec.replicas}{range.spec.template.spec.containers[0].env[*]}{.name}{end}",
                "2A");
    }

    @Test
    void changesObjects() throws Exception {
        output("create -f web.yaml");
        run("label deploy web x=y", "deployment.apps/web labeled\n");
        run("annotate deploy web note=hi", "deployment.apps/web annotated\n");
        run("set image deploy/web c=nginx:2", "deployment.apps/web image updated\n");
        run("set env deploy/web D=4", "deployment.apps/web env updated\n");
        run(
                "patch deploy web -p {\"spec\":{\"template\":{\"spec\":{\"containers\":[{\"name\":\"s\",\"image\":\"s:1\"}]}}}}",
                "deployment.apps/web patched\n");
        run("patch deploy web --type=merge -p {\"spec\":{\"replicas\":4}}", "deployment.apps/web patched\n");
        run(
                "patch deploy web --type=json -p [{\"op\":\"replace\",\"path\":\"/spec/replicas\",\"value\":7}]",
                "deployment.apps/web patched\n");
        assertThat(output("edit deploy web")).contains("deployment.apps/web edited");
        run("get deploy web -o jsonpath={.spec.replicas}|{.metadata.labels.x}|{.metadata.annotations.note}", "7|y|hi");
        assertThat(output("get deploy web -o jsonpath={.spec.template.spec.containers[*].image}")
                        .split(" "))
                .containsExactlyInAnyOrder("nginx:3", "s:1");
    }

    @Test
    void getsInEveryForm() throws Exception {
        output("create -f web.yaml");
        assertThat(output("get deploy"))
                .matches("(?s)NAME +READY +UP-TO-DATE +AVAILABLE +AGE\nweb +0/2 +0 +0 +\\d+s\n");
        assertThat(output("get deploy -o wide")).contains("CONTAINERS", "IMAGES", "SELECTOR", "nginx:1", "app=web");
        assertThat(output("get all")).contains("service/web", "deployment.apps/web");
        assertThat(output("get svc web -o custom-columns=N:.metadata.name,P:.spec.ports[0].targetPort"))
                .matches("N +P\nweb +8080\n");
        assertThat(output("get deploy web -o yaml")).contains("kind: Deployment", "replicas: 2");
        assertThat(output("get deploy web -o json")).contains("\"kind\": \"Deployment\"");
        assertThat(output("get -f web.yaml -o name")).isEqualTo("deployment.apps/web\nservice/web\n");
        assertThat(output("describe deploy web")).contains("Replicas:", "2 desired");
        assertThat(output("describe svc web")).contains("TargetPort:", "8080/TCP");
        assertThat(output("api-resources")).contains("deployments", "deploy", "endpointslices");
        assertThat(output("explain pod.spec.nodeName")).contains("nodeName");
    }

    @Test
    void describesPolicies() throws Exception {
        Files.writeString(folder.resolve("policies.yaml"), """
                apiVersion: networking.k8s.io/v1
                kind: NetworkPolicy
                metadata: {name: in}
                spec:
                  podSelector: {matchLabels: {app: web}}
                  ingress:
                  - from:
                    - podSelector: {matchLabels: {app: client}}
                    - ipBlock: {cidr: 10.0.0.0/8, except: [10.1.0.0/16]}
                    ports: [{port: 8080}]
                ---
                apiVersion: networking.k8s.io/v1
                kind: NetworkPolicy
                metadata: {name: deny-all}
                spec: {podSelector: {}, policyTypes: [Ingress, Egress]}
                """);
        output("create -f policies.yaml");

        assertThat(output("describe networkpolicy in"))
                .contains("PodSelector:     app=web", "To Port: 8080/TCP", "PodSelector: app=client")
                .contains("CIDR: 10.0.0.0/8", "Except: 10.1.0.0/16", "Policy Types: Ingress\n");
        assertThat(output("describe netpol deny-all"))
                .contains("Allowing the specific traffic to all pods in this namespace")
                .contains("Selected pods are isolated for ingress", "Selected pods are isolated for egress")
                .contains("Policy Types: Ingress, Egress");
    }

    @Test
    void watchesRows() throws Exception {
        output("create configmap one --from-literal=a=b");
        Process watch = start("get configmaps -w");
        try (BufferedReader lines =
                new BufferedReader(new InputStreamReader(watch.getInputStream(), StandardCharsets.UTF_8))) {
            assertThat(lines.readLine()).startsWith("NAME");
            assertThat(lines.readLine()).startsWith("one");
            output("create configmap two --from-literal=a=b");
            assertThat(lines.readLine()).matches("two +1 +\\d+s");
        } finally {
            watch.destroy();
        }
    }

    @Test
    void waitsForRolloutsAndTellsTheirHistory() throws Exception {
        output("create -f web.yaml");
        assertThat(output("rollout status deploy/web --timeout=1s")).contains("Waiting for deployment");
        cluster.api.modify(Resources.DEPLOYMENTS, new ObjectKey("default", "web"), "status", web -> {
            web.set(
                    "status",
                    TestCluster.tree("{'observedGeneration':1,'replicas':2,'updatedReplicas':2,"
                            + "'readyReplicas':2,'availableReplicas':2,"
                            + "'conditions':[{'type':'Available','status':'True'}]}"));
            return web;
        });
        assertThat(output("rollout status deploy/web")).contains("successfully rolled out");
        run("wait --for=condition=Available deploy/web", "deployment.apps/web condition met\n");
        output("annotate deploy web deployment.kubernetes.io/revision=2");
        replicaSet("web-1", 1, "nginx:0");
        replicaSet("web-2", 2, "nginx:1");
        assertThat(output("rollout history deploy/web")).contains("REVISION", "1", "2");
        run("rollout undo deploy/web --to-revision=1", "deployment.apps/web rolled back\n");
        run("get deploy web -o jsonpath={.spec.template.spec.containers[0].image}", "nginx:0");
    }

    @Test
    void showsEvents() throws Exception {
        output("create -f web.yaml");
        String uid = cluster.api
                .get(Resources.SERVICES, new ObjectKey("default", "web"))
                .path("metadata")
                .path("uid")
                .asText();
        cluster.send(
                "POST",
                "/apis/events.k8s.io/v1/namespaces/default/events",
                "{'metadata':{'name':'e'},'eventTime':'2026-01-01T00:00:00.000000Z','action':'a','reason':'Tested',"
                        + "'note':'all is well','type':'Normal','reportingController':'test','reportingInstance':'i',"
                        + "'regarding':{'apiVersion':'v1','kind':'Service','name':'web','namespace':'default','uid':'"
                        + uid + "'}}");
        assertThat(output("get events")).contains("Tested", "service/web", "all is well");
        assertThat(output("describe svc web")).contains("Tested", "all is well");
    }

    @Test
    void deletesWithEveryPropagation() throws Exception {
        output("create -f web.yaml");
        assertThat(output("delete deploy web --cascade=orphan --wait=false")).contains("deleted");
        assertThat(output("get deploy web -o jsonpath={.metadata.finalizers[*]}"))
                .isEqualTo("orphan");
        assertThat(output("delete svc --all")).contains("service \"web\" deleted");
        assertThat(output("get svc")).contains("No resources found in default namespace.");
    }

    @Test
    void addsAContainerToAPod() throws Exception {
        output("run a --image=a");
        output("debug a --image=busybox --target=a --container=added -- sh");
        assertThat(output("get pod a -o jsonpath={.spec.ephemeralContainers[*]['name','targetContainerName']}"))
                .isEqualTo("added a");
    }

    @Test
    void refusesClearly() throws Exception {
        assertThat(output("get nosuch")).contains("the server doesn't have a resource type \"nosuch\"");
        assertThat(output("get pod nope")).isEqualTo("Error from server (NotFound): pods \"nope\" not found\n");
        output("run a --image=a");
        assertThat(output("debug a --image=busybox --target=nope"))
                .contains("targetContainerName: Not found: \"nope\"");
        assertThat(output("delete namespace default")).contains("this namespace may not be deleted");
        assertThat(output("get --raw /livez?verbose")).contains("[+]ping ok", "livez check passed");
        assertThat(output("top nodes")).containsIgnoringCase("metrics");
        assertThat(output("auth can-i get pods")).contains("yes");
        Files.writeString(folder.resolve("bad.yaml"), WEB.replace("replicas", "replcas"));
        assertThat(output("create -f bad.yaml")).contains("unknown field \"", "replcas");
    }

    @Test
    void createsWhatNothingActsOn() throws Exception {
        output("create -f web.yaml");
        for (String[] each : new String[][] {
            {"create role r --verb=get --resource=pods", "Role"},
            {"create clusterrole c --verb=get --resource=nodes", "ClusterRole"},
            {"create rolebinding r --role=r --user=joe", "RoleBinding"},
            {"create clusterrolebinding c --clusterrole=c --user=joe", "ClusterRoleBinding"},
            {"create cronjob c --image=busybox --schedule=@daily -- true", "CronJob"},
            {"create quota q --hard=pods=3", "ResourceQuota"},
            {"create pdb p --selector=app=web --min-available=1", "PodDisruptionBudget"},
            {"create ingress i --rule=a.example/=web:80", "Ingress"},
            {"autoscale deployment web --max=3 --cpu-percent=50", "HorizontalPodAutoscaler"},
        }) {
            assertThat(output(each[0]))
                    .contains("Warning: " + each[1] + ": stored; "
                            + (each[1].contains("Role")
                                    ? "reviews such as kubectl auth can-i follow it, requests do not"
                                    : "nothing in this cluster acts on it"))
                    .containsPattern("created|autoscaled");
        }
        assertThat(output("create job j --image=busybox -- true"))
                .contains("created")
                .doesNotContain("Warning");
        assertThat(output("create job k --from=cronjob/c")).contains("created").doesNotContain("Warning");
        assertThat(output("get jobs")).containsPattern("NAME +STATUS +COMPLETIONS +DURATION +AGE\nj +Running +0/1 ");
        run("get job j -o jsonpath={.spec.template.metadata.labels.job-name}", "j");
        // kubectl sends these as protobuf, and their values arrive.
        run("get job k -o jsonpath={.spec.template.spec.containers[0].image}", "busybox");
        run("get ing i -o jsonpath={.spec.rules[0].http.paths[0].backend.service.name}", "web");
        run("get quota q -o jsonpath={.spec.hard.pods}", "3");
        run("get role r -o jsonpath={.rules[0].verbs[0]}{.rules[0].resources[0]}", "getpods");
        run("get hpa web -o jsonpath={.spec.metrics[0].resource.target.averageUtilization}", "50");
        assertThat(output("get ing i")).containsPattern("NAME +CLASS +HOSTS +ADDRESS +PORTS +AGE");
        assertThat(output("auth whoami")).contains("kubernetes-admin");
        assertThat(output("auth can-i --list")).contains("*.*");
        assertThat(output("create serviceaccount robot")).contains("created");
        assertThat(output("create token robot")).contains("eyJ");
    }

    @Test
    void appliesADefinitionAndItsObjects() throws Exception {
        String definition = """
                apiVersion: apiextensions.k8s.io/v1
                kind: CustomResourceDefinition
                metadata: {name: crontabs.stable.example.com}
                spec:
                  group: stable.example.com
                  scope: Namespaced
                  names: {plural: crontabs, singular: crontab, kind: CronTab, shortNames: [ct], categories: [all]}
                  versions:
                  - name: v1
                    served: true
                    storage: true
                    subresources: {status: {}, scale: {specReplicasPath: .spec.replicas, statusReplicasPath: .status.replicas}}
                    additionalPrinterColumns: [{name: Spec, type: string, jsonPath: .spec.cronSpec}]
                    schema:
                      openAPIV3Schema:
                        type: object
                        properties:
                          spec:
                            type: object
                            properties: {cronSpec: {type: string, description: When it runs.}, replicas: {type: integer}}
                """;
        String object = """
                apiVersion: stable.example.com/v1
                kind: CronTab
                metadata: {name: mine}
                spec: {cronSpec: "* * * * */5", image: mine, replicas: 1}
                """;
        Files.writeString(folder.resolve("crd.yaml"), definition);
        Files.writeString(folder.resolve("object.yaml"), object);
        assertThat(output("apply -f crd.yaml"))
                .contains(
                        "Warning: CronTab: stored; nothing in this cluster acts on it",
                        "crontabs.stable.example.com created");
        run(
                "wait --for=condition=Established crd/crontabs.stable.example.com --timeout=60s",
                "customresourcedefinition.apiextensions.k8s.io/crontabs.stable.example.com condition met\n");
        run("apply -f object.yaml", "crontab.stable.example.com/mine created\n");
        Files.writeString(folder.resolve("object.yaml"), object.replace("*/5", "*/7"));
        run("apply -f object.yaml", "crontab.stable.example.com/mine configured\n");
        assertThat(output("get ct")).containsPattern("NAME +SPEC\nmine +\\* \\* \\* \\* \\*/7");
        assertThat(output("get all")).contains("crontab.stable.example.com/mine");
        assertThat(output("label crontab mine a=b")).contains("labeled");
        assertThat(output("scale --replicas=3 ct/mine")).contains("scaled");
        run("get ct mine -o jsonpath={.spec.replicas}", "3");
        assertThat(output("patch ct mine --type=merge -p {\"spec\":{\"image\":\"other\"}}"))
                .contains("patched");
        assertThat(output("apply --server-side --force-conflicts -f object.yaml"))
                .contains("serverside-applied");
        assertThat(output("explain crontab.spec")).contains("cronSpec", "When it runs.");
        assertThat(output("describe ct mine")).contains("Cron Spec:");
        assertThat(output("delete ct mine")).contains("deleted");
        // Objects come before their definitions, as in kubectl's message.
        assertThat(output("api-resources --api-group=stable.example.com")).contains("crontabs", "ct", "CronTab");
    }

    @Test
    void prunesWhatIsNoLongerInTheFolder() throws Exception {
        output("apply -f web.yaml");
        output("label svc web a=b");
        output("label deploy web a=b");
        Files.writeString(
                folder.resolve("web.yaml"),
                WEB.substring(WEB.indexOf("---")).replace("{name: web}", "{name: web, labels: {a: b}}"));
        assertThat(output("apply -f web.yaml --prune -l a=b")).contains("deployment.apps/web pruned");
    }

    @Test
    void namesEveryMistakeOfAManifest() throws Exception {
        Files.writeString(folder.resolve("bad.yaml"), """
                apiVersion: v1
                kind: Service
                metadata: {name: web}
                spec: {type: Near, sessionAffinity: Cookie, ports: [{port: 70000, targetPort: 80, protocol: HTTP}, {port: 80}]}
                """);
        assertThat(output("create -f bad.yaml"))
                .contains(
                        "The Service \"web\" is invalid: ",
                        "* spec.ports[0].name: Required value",
                        "* spec.ports[0].port: Invalid value: 70000: must be between 1 and 65535, inclusive",
                        "* spec.ports[0].protocol: Unsupported value: \"HTTP\": supported values: \"SCTP\", \"TCP\", \"UDP\"",
                        "* spec.ports[1].name: Required value",
                        "* spec.type: Unsupported value: \"Near\"",
                        "* spec.sessionAffinity: Unsupported value: \"Cookie\"");
    }

    @Test
    void warnsAboutWhatTheClusterIgnores() throws Exception {
        Files.writeString(folder.resolve("pod.yaml"), """
                apiVersion: v1
                kind: Pod
                metadata: {name: a}
                spec: {containers: [{name: a, image: a, securityContext: {runAsUser: 1}}]}
                """);
        run("create -f pod.yaml", """
                Warning: spec.containers[0].securityContext: this cluster ignores this field
                pod/a created
                """);
        run("label pod a app=a", "pod/a labeled\n");
        output("create deployment d --image=a");
        run("patch deployment d -p {\"spec\":{\"template\":{\"spec\":{\"hostPID\":true}}}}", """
                Warning: spec.template.spec.hostPID: this cluster ignores this field
                deployment.apps/d patched
                """);
        run("label deployment d app=b --overwrite", "deployment.apps/d labeled\n");
        Files.writeString(folder.resolve("pod.json"), output("get pod a -o json"));
        run("replace -f pod.json", "pod/a replaced\n");
    }

    /** A client gets 100 of them. */
    @Test
    void warnsAboutNewsBehindManyOldWarnings() throws Exception {
        String containers = IntStream.range(0, 110)
                .mapToObj("{name: c%d, image: a, securityContext: {runAsUser: 1}}"::formatted)
                .collect(Collectors.joining(", "));
        Files.writeString(folder.resolve("large.yaml"), """
                apiVersion: apps/v1
                kind: Deployment
                metadata: {name: large}
                spec:
                  selector: {matchLabels: {a: b}}
                  template:
                    metadata: {labels: {a: b}}
                    spec: {containers: [%s]}
                """.formatted(containers));
        assertThat(output("create -f large.yaml").lines().filter(line -> line.startsWith("Warning")))
                .hasSize(100);
        run("patch deployment large -p {\"spec\":{\"template\":{\"spec\":{\"hostPID\":true}}}}", """
                Warning: spec.template.spec.hostPID: this cluster ignores this field
                deployment.apps/large patched
                """);
    }

    @Test
    void explainsFields() throws Exception {
        assertThat(output("explain deployment.spec.strategy.rollingUpdate"))
                .contains("maxSurge", "maxUnavailable")
                .doesNotContain("revisionHistoryLimit");
        assertThat(output("explain service")).contains("A name and an address for the Pods that its selector matches.");
    }

    /** Versions before 1.30 know no WebSockets, and pass over the choice. */
    @ParameterizedTest(name = "by WebSockets: {0}")
    @ValueSource(booleans = {true, false})
    void streamsLogsCommandsAndPorts(boolean webSockets) throws Exception {
        environment = Map.of(
                "KUBECTL_REMOTE_COMMAND_WEBSOCKETS", String.valueOf(webSockets),
                "KUBECTL_PORT_FORWARD_WEBSOCKETS", String.valueOf(webSockets));
        cluster.api.create(
                Resources.PODS,
                TestCluster.tree("{'metadata':{'name':'p','namespace':'default'},'spec':{'nodeName':'n','containers':"
                        + "[{'name':'c','image':'i'}]}}"));
        cluster.api.modify(Resources.PODS, new ObjectKey("default", "p"), "status", pod -> {
            pod.putObject("status").put("phase", "Running");
            return pod;
        });
        run("logs p --tail=5", "one\ntwo OptionalLong[5]\n");
        Process cat = start("exec -i p -- cat");
        cat.getOutputStream().write("hello".getBytes(StandardCharsets.UTF_8));
        cat.getOutputStream().close();
        assertThat(new String(cat.getInputStream().readAllBytes(), StandardCharsets.UTF_8))
                .isEqualTo("hello");
        assertThat(cat.waitFor()).isZero();
        assertThat(output("exec p -- big")).hasSize(1024 * 1024);
        assertThat(output("exec -v=4 p -- big")).doesNotContain("fallback");
        Process fail = start("exec p -- fail 3");
        assertThat(new String(fail.getInputStream().readAllBytes(), StandardCharsets.UTF_8))
                .contains("no luck", "exit code 3");
        assertThat(fail.waitFor()).isEqualTo(3);
        Process forward = start("port-forward -v=4 p :8080");
        try (BufferedReader lines =
                new BufferedReader(new InputStreamReader(forward.getInputStream(), StandardCharsets.UTF_8))) {
            String line = lines.readLine();
            while (!line.startsWith("Forwarding from 127.0.0.1:")) {
                assertThat(line).doesNotContain("fallback");
                line = lines.readLine();
            }
            int port = Integer.parseInt(line.replaceAll(".*127.0.0.1:(\\d+) .*", "$1"));
            for (int i = 0; i < 3; i++) {
                assertThat(cluster.client
                                .send(
                                        HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port))
                                                .build(),
                                        HttpResponse.BodyHandlers.ofString())
                                .body())
                        .isEqualTo("port 8080");
            }
        } finally {
            forward.destroy();
        }
    }

    private void replicaSet(String name, int revision, String image) {
        ObjectNode set = TestCluster.tree(("{'metadata':{'name':'%s','namespace':'default','labels':{'app':'web'},"
                        + "'annotations':{'deployment.kubernetes.io/revision':'%d'},'ownerReferences':"
                        + "[{'apiVersion':'apps/v1','kind':'Deployment','name':'web','controller':true,'uid':'%s'}]},"
                        + "'spec':{'replicas':0,'selector':{'matchLabels':{'app':'web'}},'template':{'metadata':"
                        + "{'labels':{'app':'web'}},'spec':{'containers':[{'name':'c','image':'%s'}]}}}}")
                .formatted(
                        name,
                        revision,
                        cluster.api
                                .get(Resources.DEPLOYMENTS, new ObjectKey("default", "web"))
                                .path("metadata")
                                .path("uid")
                                .asText(),
                        image));
        cluster.api.create(Resources.REPLICA_SETS, set);
    }

    private void run(String command, String expected) throws IOException, InterruptedException {
        assertThat(output(command)).as("kubectl " + command).isEqualTo(expected);
    }

    /** Output and errors; words are separated by one space. */
    private String output(String command) throws IOException, InterruptedException {
        Process process = start(command);
        String text = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.waitFor(5, TimeUnit.MINUTES)).as(command).isTrue();
        return text;
    }

    private Process start(String command) throws IOException {
        List<String> words = new ArrayList<>(List.of(KUBECTL));
        words.addAll(List.of(command.split(" ", -1)));
        ProcessBuilder builder =
                new ProcessBuilder(words).directory(folder.toFile()).redirectErrorStream(true);
        builder.environment().putAll(environment);
        builder.environment()
                .putAll(Map.of(
                        "KUBECONFIG", folder.resolve("kubeconfig").toString(),
                        "HOME", folder.toString(),
                        "KUBE_EDITOR", "sed -i s/nginx:2/nginx:3/"));
        return builder.start();
    }
}
