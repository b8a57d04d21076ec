package dev.nodepath.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.nodepath.emulator.kubelet.ControlGroups;
import dev.nodepath.linux.Eventually;
import dev.nodepath.linux.Repetitions;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The effects of a Pod's manifest, seen by kubectl and from inside. */
@Tag("netns")
@Timeout(900)
class PodsTest {
    private static final Duration LIMIT = Duration.ofMinutes(5);

    @TempDir
    private static Path folder;

    private static NodepathScript nodepath = new NodepathScript(Path.of("/"));

    @BeforeAll
    static void up() throws IOException, InterruptedException {
        nodepath = NodepathScript.up(folder);
    }

    @AfterAll
    static void down() throws IOException, InterruptedException {
        nodepath.down();
    }

    @Test
    void hasVariablesFilesNamesAndInitContainers() throws Exception {
        apply("configured", """
                apiVersion: v1
                kind: ConfigMap
                metadata: {name: settings}
                data: {color: blue, "greeting.txt": "hello"}
                ---
                apiVersion: v1
                kind: Secret
                metadata: {name: key}
                stringData: {password: sesame}
                ---
                apiVersion: v1
                kind: Pod
                metadata: {name: configured, labels: {tier: one}}
                spec:
                  hostname: desk
                  initContainers:
                    - name: first
                      image: none
                      command: [sh, -c, 'echo made > /scratch/file']
                      volumeMounts: [{name: scratch, mountPath: /scratch}]
                  containers:
                    - name: main
                      image: none
                      command: [sh, -c, 'echo "$COLOR $PASSWORD $TIER $ARGUMENT"; exec sleep 1000']
                      env:
                        - {name: COLOR, valueFrom: {configMapKeyRef: {name: settings, key: color}}}
                        - {name: PASSWORD, valueFrom: {secretKeyRef: {name: key, key: password}}}
                        - {name: TIER, valueFrom: {fieldRef: {fieldPath: "metadata.labels['tier']"}}}
                        - {name: ARGUMENT, value: "$(COLOR)-$(NOBODY)"}
                      volumeMounts: [{name: settings, mountPath: /not/on/this/machine}, {name: scratch, mountPath: /scratch}]
                  volumes:
                    - {name: settings, configMap: {name: settings, items: [{key: greeting.txt, path: deep/greeting}]}}
                    - {name: scratch, emptyDir: {}}
                """);
        awaitOutput("logs", "configured", "blue sesame one blue-$(NOBODY)");
        assertThat(inside("configured", "cat /not/on/this/machine/deep/greeting /scratch/file; hostname"))
                .isEqualTo("hellomade\ndesk\n");
        assertThat(inside("configured", "cat /etc/hosts")).contains("\tdesk");
        for (String exec : List.of("exec -c main", "kubectl exec -c main")) {
            List<String> words = new ArrayList<>(List.of(exec.split(" ")));
            words.addAll(List.of("configured", "--", "cat", "/proc/self/environ"));
            assertThat(Stream.of(nodepath.ask(words.toArray(String[]::new))
                                    .output()
                                    .split("\0"))
                            .map(each -> each.replaceFirst("=.*", ""))
                            .filter(each -> !each.matches(".*_(SERVICE|PORT)(_.*)?")))
                    .containsExactlyInAnyOrder("PATH", "HOME", "HOSTNAME", "COLOR", "PASSWORD", "TIER", "ARGUMENT");
        }
        assertThat(Files.exists(Path.of("/not"))).isFalse();
        assertThat(Files.exists(Path.of("/scratch"))).isFalse();
    }

    /** A program that read any of these texts as shell would make a file. */
    @Test
    void nothingOfAManifestIsTextOfAShell() throws Exception {
        Path attacked = folder.resolve("attacked");
        apply("hostile", """
                apiVersion: v1
                kind: ConfigMap
                metadata: {name: hostile}
                data: {spring.datasource.url: "jdbc:h2;$(touch @)", file: content}
                ---
                apiVersion: v1
                kind: Pod
                metadata: {name: hostile}
                spec:
                  hostAliases: [{ip: 192.0.2.1, hostnames: [alias.example]}]
                  containers:
                    - name: main
                      image: none
                      command: [sh, -c, 'tr "\\0" "\\n" </proc/self/environ; exec sleep 1000', "$(touch @)", "'; touch @; '"]
                      workingDir: "/not/here/$(touch @); touch @"
                      env:
                        - {name: "A;touch @;B", value: one}
                        - {name: with-dash, value: "two\\n`touch @`\\n"}
                        - {name: "$(touch @)", value: "'; touch @; '"}
                        - {name: QUOTED, value: "\\"; touch @; \\""}
                      envFrom: [{configMapRef: {name: hostile}}]
                      readinessProbe: {exec: {command: [test, "$(touch @)", "=", "$(touch @)"]}, periodSeconds: 1}
                      lifecycle: {preStop: {exec: {command: [echo, "; touch @", "$(touch @)"]}}}
                      volumeMounts: [{name: map, mountPath: "/not/here/$(touch @); touch @"}]
                  volumes: [{name: map, configMap: {name: hostile}}]
                """.replace("@", attacked.toString()));
        kubectl("wait --for=condition=Ready pod/hostile --timeout=120s");
        for (String line : List.of(
                "\nA;touch " + attacked + ";B=one\n",
                "\nwith-dash=two\n`touch " + attacked + "`\n\n",
                "\nspring.datasource.url=jdbc:h2;$(touch " + attacked + ")\n")) {
            awaitOutput("logs", "hostile", line);
        }
        String words = "$(touch " + attacked + "); touch " + attacked + "; '\"x\ntouch " + attacked + "\n";
        assertThat(nodepath.run("exec", "hostile", "--", "printf", "%s", words).output())
                .isEqualTo(words);
        assertThat(nodepath.run("kubectl", "exec", "hostile", "--", "printf", "%s", words)
                        .output())
                .isEqualTo(words);
        assertThat(nodepath.ask("exec", "n1", "--", "printf", "%s", words).output())
                .isEqualTo(words);
        assertThat(nodepath.ask("exec", "hostile", "--", "cat", "file").output())
                .isEqualTo("content");
        kubectl("delete pod hostile --grace-period=5");
        assertThat(attacked).doesNotExist();
    }

    @Test
    void restartsWhatEndsAndWhatIsNotAlive() throws Exception {
        apply("restarted", """
                apiVersion: v1
                kind: Pod
                metadata: {name: ending}
                spec: {containers: [{name: main, image: none, command: [sh, -c, 'echo run; exit 7']}]}
                ---
                apiVersion: v1
                kind: Pod
                metadata: {name: hanging}
                spec:
                  containers:
                    - name: main
                      image: none
                      command: [sh, -c, 'echo began; exec sleep 1000']
                      livenessProbe: {exec: {command: [test, -e, /nothing]}, periodSeconds: 1, failureThreshold: 1}
                """);
        await("back-off", "get pod ending", "CrashLoopBackOff");
        assertThat(kubectl("logs ending --previous")).isEqualTo("run\n");
        assertThat(kubectl("get pod ending -o jsonpath={.status.containerStatuses[0].lastState.terminated.exitCode}"))
                .isEqualTo("7");
        Eventually.isTrue(
                LIMIT,
                () -> "restart",
                () -> !kubectl("get pod hanging -o jsonpath={.status.containerStatuses[0].restartCount}")
                        .equals("0"));
        await("event", "get events --field-selector=involvedObject.name=hanging", "Liveness probe failed");
    }

    /** Without control groups each process has the limit, and then fails by itself. */
    @Test
    void whoUsesMoreMemoryThanItsLimitEndsAlone() throws Exception {
        apply("greedy", """
                apiVersion: v1
                kind: Pod
                metadata: {name: greedy}
                spec:
                  restartPolicy: Never
                  containers:
                    - name: main
                      image: none
                      command: [bash, -c, 'a=$(head -c 999M /dev/zero | tr "\\0" x); echo $?; exit 0']
                      resources: {limits: {memory: 32Mi, cpu: 500m}}
                    - {name: beside, image: none, command: [sleep, "98757"]}
                """);
        await(
                "its end",
                "get pod greedy -o jsonpath={.status.containerStatuses[0].state.terminated.reason}",
                ControlGroups.areHere() ? "OOMKilled" : "Error");
        assertThat(kubectl("get pod greedy -o jsonpath={.status.containerStatuses[1].state}"))
                .startsWith("{\"running\":");
    }

    @Test
    void killOneRestartsItsContainerAndNothingElse() throws Exception {
        apply("killed", """
                apiVersion: v1
                kind: Pod
                metadata: {name: killed}
                spec:
                  containers:
                    - {name: served, image: web, ports: [{containerPort: 80}]}
                    - {name: main, image: none, command: [sh, -c, 'trap "exit 3" TERM; while :; do sleep 0.2; done']}
                    - {name: other, image: none, command: [sleep, "98763"]}
                """);
        kubectl("wait --for=condition=Ready pod/killed --timeout=120s");
        assertThat(inside("killed", "tr '\\0' ' ' </proc/1/cmdline")).startsWith("bash -pc trap");
        assertThat(nodepath.ask("exec", "-c", "other", "killed", "--", "cat", "/proc/1/cmdline")
                        .output())
                .isEqualTo("sleep\00098763\0");
        nodepath.ask("exec", "killed", "--", "kill", "1");
        kubectl("exec killed -c main -- kill 1");
        await(
                "restarts",
                "get pod killed -o jsonpath={.status.containerStatuses[*].restartCount}{.status.phase}",
                "1 1 0Running");
        kubectl("wait --for=condition=Ready pod/killed --timeout=120s");
        assertThat(kubectl("get pod client-1 -o jsonpath={.status.containerStatuses[0].restartCount}"))
                .isEqualTo("0");
        kubectl("delete pod killed --grace-period=1");
    }

    @Test
    void containersThatShareProcessesSeeThoseOfThePod() throws Exception {
        apply("shared", """
                apiVersion: v1
                kind: Pod
                metadata: {name: shared}
                spec:
                  shareProcessNamespace: true
                  containers:
                    - {name: served, image: web, ports: [{containerPort: 80}]}
                    - {name: main, image: none, command: [sh, -c, "echo of main >/dev/shm/file; exec sleep 98761"]}
                    - {name: shell, image: none, command: [sleep, "98760"]}
                """);
        kubectl("wait --for=condition=Ready pod/shared --timeout=120s");
        String look = "exec shared -c shell -- sh -c cat${IFS}/proc/[0-9]*/comm${IFS}/dev/shm/file|sort|uniq${IFS}-c";
        assertThat(kubectl(look).replaceAll(" +", " "))
                .contains(" 1 of main\n", " 1 pause\n", " 2 sleep\n", " 1 bash\n");
        assertThat(kubectl("exec shared -c shell -- cat /proc/1/comm")).isEqualTo("pause\n");
        kubectl(
                "exec shared -c shell -- sh -c kill${IFS}$(grep${IFS}-l${IFS}9876[1]${IFS}/proc/*/cmdline|tr${IFS}-dc${IFS}0-9)");
        await(
                "restart",
                "get pod shared -o jsonpath={.status.containerStatuses[*].restartCount}{.status.phase}",
                "0 1 0Running");
        kubectl("delete pod shared --grace-period=1");
    }

    @Test
    void whatIsCopiedToAPodIsNotOnTheMachine() throws Exception {
        Path file = Files.writeString(folder.resolve("copied"), "content");
        String target = "/var/tmp/" + folder.getFileName() + "-copied";
        assertThat(nodepath.run("kubectl", "cp", file.toString(), "client-1:" + target)
                        .exitCode())
                .isZero();
        assertThat(inside("client-1", "cat " + target + "; echo said >/dev/termination-log"))
                .isEqualTo("content");
        assertThat(Path.of(target)).doesNotExist();
        assertThat(Path.of("/dev/termination-log")).doesNotExist();
    }

    /** One starts while another reports its end: neither may wait for the other. */
    @Test
    void containersThatEndTogetherStartAgain() throws Exception {
        int containers = Repetitions.of(6, 12);
        StringBuilder list = new StringBuilder();
        for (int i = 0; i < containers; i++) {
            list.append("    - {name: c" + i + ", image: none, command: [sh, -c, 'exit 1']}\n");
        }
        apply("together", """
                apiVersion: v1
                kind: Pod
                metadata: {name: together}
                spec:
                  containers:
                %s""".formatted(list));
        Eventually.isTrue(
                LIMIT,
                () -> "every container started again twice",
                () -> kubectl("get pod together -o jsonpath={.status.containerStatuses[*].restartCount}")
                                .chars()
                                .filter(each -> each >= '2')
                                .count()
                        == containers);
        kubectl("delete pod together --grace-period=1");
    }

    @Test
    void saysWhichCommandThisMachineDoesNotHave() throws Exception {
        apply("unknown", """
                apiVersion: v1
                kind: Pod
                metadata: {name: unknown}
                spec: {containers: [{name: main, image: "redis:7", command: [redis-of-nobody]}]}
                """);
        await("event", "get events", "exec: \"redis-of-nobody\": executable file not found in $PATH");
        // The Event comes before the Pod's status.
        Eventually.isTrue(
                LIMIT,
                () -> "status",
                () -> Pattern.compile(
                                "failed container=main pod=unknown_default\\([-0-9a-f]+\\): exec: \"redis-of-nobody\"")
                        .matcher(nodepath.ask("status").output())
                        .find());
        kubectl("delete pod unknown --grace-period=1");
    }

    @Test
    void aFollowedNameLeadsToTheNewPodAfterAScaling() throws Exception {
        apply("shop", """
                apiVersion: apps/v1
                kind: Deployment
                metadata: {name: shop}
                spec:
                  selector: {matchLabels: {app: shop}}
                  template:
                    metadata: {labels: {app: shop}}
                    spec: {containers: [{name: main, image: shop, ports: [{containerPort: 80}]}]}
                ---
                apiVersion: v1
                kind: Service
                metadata: {name: shop}
                spec: {selector: {app: shop}, ports: [{port: 80}]}
                """);
        Eventually.isTrue(LIMIT, () -> "shop answers", () -> curl("http://shop").contains("\"pod\":\"shop-"));
        String first = curl("http://shop");
        kubectl("delete pod -l app=shop --grace-period=1");
        Eventually.isTrue(LIMIT, () -> "another answers", () -> {
            String answer = curl("http://shop");
            return answer.contains("\"pod\":\"shop-") && !answer.equals(first);
        });
        kubectl("scale deployment/shop --replicas=0");
        Eventually.isTrue(
                LIMIT, () -> "nobody answers", () -> request("http://shop").exitCode() == 7);
    }

    /** The Service comes after its Pods, and two containers of a Pod want the same port. */
    @Test
    void aStandInListensWhereItIsAsked() throws Exception {
        apply("stand-ins", """
                apiVersion: v1
                kind: Pod
                metadata: {name: undeclared, labels: {app: undeclared}}
                spec:
                  containers:
                    - name: main
                      image: "postgres:16"
                      ports: [{name: metrics, containerPort: 9120}]
                      readinessProbe: {httpGet: {path: /readyz, port: 17472, scheme: HTTPS}, periodSeconds: 1}
                      livenessProbe: {exec: {command: [pg_isready]}, periodSeconds: 1, failureThreshold: 1}
                ---
                apiVersion: v1
                kind: Pod
                metadata: {name: front, labels: {app: front}}
                spec: {containers: [{name: app, image: nginx}, {name: side, image: exporter}]}
                ---
                apiVersion: v1
                kind: Pod
                metadata: {name: same-port}
                spec:
                  containers:
                    - name: asks
                      image: a
                      readinessProbe: {tcpSocket: {port: 9000}, periodSeconds: 1}
                      lifecycle: {postStart: {httpGet: {port: 9004}}}
                    - {name: app, image: b, ports: [{containerPort: 80}, {containerPort: 9000}]}
                    - name: side
                      image: c
                      ports: [{containerPort: 80}, {containerPort: 53, protocol: UDP}]
                ---
                apiVersion: v1
                kind: Pod
                metadata: {name: beside, labels: {app: beside}}
                spec:
                  containers:
                    - {name: helper, image: x}
                    - {name: app, image: app, command: [iperf3, -s, -p, "8080", --forceflush]}
                """);
        kubectl("wait --for=condition=Ready pod/undeclared pod/front pod/same-port pod/beside --timeout=300s");
        await("event", "get events --field-selector=involvedObject.name=undeclared", "count as passed");
        kubectl("expose pod front --port=80");
        Eventually.isTrue(
                LIMIT, () -> "front answers", () -> curl("http://front").contains("\"pod\":\"front\""));
        String two = kubectl("get pod same-port -o jsonpath={.status.podIP}");
        assertThat(curl("http://" + two)).contains("\"pod\":\"same-port\"");
        assertThat(inside(
                        "client-1", "bash -c 'exec 3<>/dev/udp/" + two + "/53; echo x >&3; timeout 300 head -c 9 <&3'"))
                .isEqualTo("same-port");
        assertThat(kubectl("logs same-port -c side")).contains("port 80 is that of container app");
        await("the program", "logs beside -c app", "Server listening on 8080");
        assertThat(kubectl("get pod same-port beside -o jsonpath={..restartCount}"))
                .isEqualTo("0 0 0 0 0");
        kubectl("delete pod undeclared front same-port beside --grace-period=1");
        kubectl("delete service front");
    }

    /** As Kubernetes' network tests and kind's examples use it. */
    @Test
    void agnhostIsClientAndServer() throws Exception {
        apply("agnhost", """
                apiVersion: v1
                kind: Pod
                metadata: {name: net}
                spec:
                  restartPolicy: OnFailure
                  containers:
                    - name: net
                      image: registry.k8s.io/e2e-test-images/agnhost:2.47
                      args: [netexec, --http-port=8083, --udp-port=8084]
                      ports: [{containerPort: 8083}, {containerPort: 8084, protocol: UDP}]
                      readinessProbe: {httpGet: {path: /healthz, port: 8083}, periodSeconds: 1}
                ---
                apiVersion: v1
                kind: Pod
                metadata: {name: foo-app, labels: {app: http-echo}}
                spec:
                  containers:
                    - name: foo-app
                      image: registry.k8s.io/e2e-test-images/agnhost:2.39
                      command: [/agnhost, serve-hostname, --http=true, --port=8080]
                ---
                apiVersion: v1
                kind: Service
                metadata: {name: foo-service}
                spec: {selector: {app: http-echo}, ports: [{port: 5678, targetPort: 8080}]}
                """);
        kubectl("wait --for=condition=Ready pod/net pod/foo-app --timeout=300s");
        String net = kubectl("get pod net -o jsonpath={.status.podIP}");
        String client = kubectl("get pod client-1 -o jsonpath={.status.podIP}");
        String service = kubectl("get service foo-service -o jsonpath={.spec.clusterIP}");
        Eventually.isTrue(
                LIMIT,
                () -> "the Service answers",
                () -> curl("http://foo-service:5678/x").equals("foo-app"));
        String base = "http://" + net + ":8083/";
        assertThat(curl(base + "hostName")).isEqualTo("net");
        assertThat(curl(base + "clientip")).matches(client.replace(".", "\\.") + ":[0-9]+");
        assertThat(curl(base + "echo?msg=a%20b")).isEqualTo("a b");
        assertThat(curl(base + "dial?request=clientip&protocol=http&host=" + net + "&port=8083"))
                .matches("\\{\"responses\":\\[\"" + net.replace(".", "\\.") + ":[0-9]+\"]}");
        assertThat(curl(base + "dial?request=hostname&protocol=udp&tries=2&host=" + net + "&port=8084"))
                .isEqualTo("{\"responses\":[\"net\",\"net\"]}");
        for (String host : List.of(service, "foo-service", "foo-service.default.svc.cluster.local")) {
            assertThat(curl(base + "dial?request=x&protocol=http&host=" + host + "&port=5678"))
                    .isEqualTo("{\"responses\":[\"foo-app\"]}");
        }
        assertThat(curl(base + "shell?shellCommand=hostname%3Bexit%203"))
                .isEqualTo("{\"error\":\"exit status 3\",\"output\":\"net\\n\"}");
        assertThat(inside("client-1", "printf octets | curl -s -F file=@- " + base + "upload"))
                .matches("\\{\"output\":\"/uploads/upload\\w{9}\"}");
        assertThat(inside("net", "cat /uploads/*")).isEqualTo("octets");
        assertThat(curl(base + "dial?request=hostname&protocol=http&host=" + net + "&port=1"))
                .contains("\"errors\":[\"Connection refused");
        for (String words : List.of(":8083", ":8084 --protocol=udp --udp-data=hostname")) {
            assertThat(nodepath.ask(("kubectl exec foo-app -- /agnhost connect --timeout=60s " + net + words)
                                    .split(" ", -1))
                            .exitCode())
                    .as(words)
                    .isZero();
        }
        assertThat(nodepath.ask("kubectl", "exec", "foo-app", "--", "/agnhost", "connect", net + ":1")
                        .output())
                .contains("REFUSED");

        curl(base + "exit?code=3");
        await(
                "ended with its code, and again",
                "get pod net -o jsonpath={.status.containerStatuses[0].lastState.terminated.exitCode}",
                "3");
        kubectl("wait --for=condition=Ready pod/net --timeout=300s");
        kubectl("delete pod net foo-app --grace-period=1");
        kubectl("delete service foo-service");
    }

    @Test
    void volumesAreAsAKubeletMakesThem() throws Exception {
        apply("volumes", """
                apiVersion: v1
                kind: ConfigMap
                metadata: {name: conf}
                data: {app.conf: before, run.sh: "#!/bin/sh\\necho ran; exec sleep 1000"}
                ---
                apiVersion: v1
                kind: Pod
                metadata: {name: nested}
                spec:
                  containers:
                    - name: main
                      image: none
                      command: [/conf/run.sh]
                      volumeMounts:
                        - {name: conf, mountPath: /etc/app/app.conf, subPath: app.conf}
                        - {name: empty, mountPath: /etc/app}
                        - {name: conf, mountPath: /conf}
                  volumes: [{name: empty, emptyDir: {}}, {name: conf, configMap: {name: conf, defaultMode: 0755}}]
                ---
                apiVersion: v1
                kind: Pod
                metadata: {name: ended}
                spec:
                  restartPolicy: Never
                  containers: [{name: main, image: none, command: [sh, -c, 'echo expired >/dev/termination-log; exit 3']}]
                ---
                apiVersion: v1
                kind: Pod
                metadata: {name: no-cert}
                spec:
                  containers: [{name: main, image: none, volumeMounts: [{name: cert, mountPath: /cert}]}]
                  volumes: [{name: cert, secret: {secretName: absent}}]
                """);
        awaitOutput("logs", "nested", "ran");
        assertThat(inside("nested", "cat /etc/app/app.conf; echo x 2>&1 >/conf/app.conf || echo refused"))
                .startsWith("before")
                .contains("refused");
        await(
                "message",
                "get pod ended -o jsonpath={.status.containerStatuses[0].state.terminated.message}",
                "expired");
        await(
                "event",
                "get events --field-selector=involvedObject.name=no-cert",
                "MountVolume.SetUp failed for volume \"cert\" : secret \"absent\" not found");
        assertThat(kubectl("get pod no-cert")).contains("ContainerCreating");
        kubectl("patch configmap conf -p {\"data\":{\"app.conf\":\"after\"}}");
        Eventually.isTrue(
                LIMIT,
                () -> "the file follows",
                () -> inside("nested", "cat /conf/app.conf").equals("after"));
        assertThat(inside("nested", "cat /etc/app/app.conf"))
                .as("a subPath does not")
                .isEqualTo("before");
        kubectl("delete pod nested ended no-cert --grace-period=1");
    }

    @Test
    void aFailingReadinessProbeSaysWhy() throws Exception {
        apply("unhealthy", """
                apiVersion: v1
                kind: Pod
                metadata: {name: unhealthy}
                spec:
                  containers:
                    - name: main
                      image: none
                      command: [sleep, "1000"]
                      readinessProbe: {httpGet: {path: /live, port: 4711}, periodSeconds: 1}
                """);
        await(
                "event",
                "get events --field-selector=involvedObject.name=unhealthy",
                ":4711: connect: connection refused");
        kubectl("delete pod unhealthy --grace-period=1");
    }

    /** On each node, more Pods than processors wait in their first container. */
    @Test
    void podsThatWaitHoldUpNoOther() throws Exception {
        int waiting = 4 * Runtime.getRuntime().availableProcessors();
        StringBuilder pods = new StringBuilder();
        for (int i = 0; i < waiting; i++) {
            pods.append("""
                    apiVersion: v1
                    kind: Pod
                    metadata: {name: waiting-%d, labels: {app: waiting}}
                    spec:
                      initContainers: [{name: first, image: none, command: [sleep, "98765"]}]
                      containers: [{name: main, image: web}]
                    ---
                    """.formatted(i));
        }
        apply("waiting", pods + """
                apiVersion: v1
                kind: Pod
                metadata: {name: passing}
                spec: {containers: [{name: main, image: web}]}
                """);
        kubectl("wait --for=condition=Ready pod/passing --timeout=60s");
        assertThat(kubectl("get pod passing -o jsonpath={.status.phase}")).isEqualTo("Running");
        kubectl("delete pod passing --grace-period=1");
        kubectl("delete pod -l app=waiting --grace-period=1 --timeout=60s");
        assertThat(kubectl("get pods -l app=waiting -o name")).isEmpty();
    }

    @Test
    void aPortOfTheNodeLeadsToThePod() throws Exception {
        apply("edge", """
                apiVersion: v1
                kind: Pod
                metadata: {name: edge}
                spec:
                  nodeName: n1
                  containers:
                    - name: c
                      image: none
                      ports: [{containerPort: 8080, hostPort: 8081}, {containerPort: 9090, hostPort: 9091, hostIP: 127.0.0.1}]
                ---
                apiVersion: v1
                kind: Pod
                metadata: {name: late}
                spec:
                  nodeSelector: {kubernetes.io/hostname: n1}
                  containers: [{name: c, image: none, ports: [{containerPort: 80, hostPort: 8081}]}]
                """);
        kubectl("wait --for=condition=Ready pod/edge --timeout=120s");
        String node = kubectl("get pod edge -o jsonpath={.status.hostIP}");
        for (String place : List.of("client-1", "n1", "n2", "edge")) {
            assertThat(nodepath.ask("exec", place, "--", "curl", "-sm60", "http://" + node + ":8081/")
                            .output())
                    .as(place)
                    .contains("edge");
        }
        assertThat(nodepath.ask("exec", "n1", "--", "curl", "-sm60", "http://127.0.0.1:9091/")
                        .output())
                .contains("edge");
        assertThat(kubectl("get pod late -o jsonpath={.status.conditions[0].message}"))
                .contains("1 node(s) didn't have free ports for the requested pod ports");
        kubectl("delete pod edge late --grace-period=1");
        assertThat(nodepath.ask("exec", "n1", "--", "nft", "list", "ruleset").output())
                .doesNotContain("dport 8081");
    }

    @Test
    void theNextContainerWaitsForTheHookOfTheOneBefore() throws Exception {
        apply("hooked", """
                apiVersion: v1
                kind: Pod
                metadata: {name: hooked}
                spec:
                  containers:
                    - name: first
                      image: none
                      command: [sleep, infinity]
                      lifecycle: {postStart: {exec: {command: [sh, -c, "sleep 1; touch /scratch/done"]}}}
                      volumeMounts: [{name: scratch, mountPath: /scratch}]
                    - name: second
                      image: none
                      command: [sh, -c, "ls /scratch; sleep infinity"]
                      volumeMounts: [{name: scratch, mountPath: /scratch}]
                    - {name: server, image: none, lifecycle: {postStart: {exec: {command: [not-here]}}}}
                  volumes: [{name: scratch, emptyDir: {}}]
                ---
                apiVersion: v1
                kind: Pod
                metadata: {name: unhooked}
                spec:
                  containers:
                    - name: c
                      image: none
                      command: [sleep, infinity]
                      lifecycle: {postStart: {exec: {command: ["false"]}}}
                """);
        kubectl("wait --for=condition=Ready pod/hooked --timeout=120s");
        await("log", "logs hooked -c second", "done");
        await("event", "get events --field-selector reason=HookPassed", "nothing of image none is here");
        await("event", "get events --field-selector reason=FailedPostStartHook", "PostStartHook failed: command");
        await("restart", "get pod unhooked -o jsonpath={.status.containerStatuses[0].lastState}", "exitCode");
        kubectl("delete pod hooked unhooked --grace-period=1");
    }

    /** Each probe leaves an orphan in the container's PID namespace. That ends when the orphan is collected. */
    @Test
    void aContainerStartsAgainAfterProbesThatWereKilled() throws Exception {
        apply("slow", """
                apiVersion: v1
                kind: Pod
                metadata: {name: slow}
                spec:
                  containers:
                    - name: c
                      image: none
                      command: [sleep, infinity]
                      livenessProbe: {exec: {command: [sleep, infinity]}, periodSeconds: 1, failureThreshold: 3}
                """);
        await("restart", "get pod slow -o jsonpath={.status.containerStatuses[0].lastState}", "exitCode");
        kubectl("delete pod slow --grace-period=1");
    }

    /** KEP-753. */
    @Test
    void aSidecarRunsFromBeforeToAfterTheOthers() throws Exception {
        apply("side", """
                apiVersion: v1
                kind: Pod
                metadata: {name: side, labels: {app: side}}
                spec:
                  initContainers:
                    - name: proxy
                      image: none
                      restartPolicy: Always
                      command: [sh, -c, "trap 'echo proxy ends; exit 0' TERM; echo proxy; while :; do sleep 0.1; done"]
                      startupProbe: {exec: {command: [test, -e, /scratch/go]}, periodSeconds: 1, failureThreshold: 600}
                      volumeMounts: [{name: scratch, mountPath: /scratch}]
                    - name: web
                      image: none
                      restartPolicy: Always
                      ports: [{name: web-in, containerPort: 9443}]
                  containers:
                    - {name: main, image: none, ports: [{name: http, containerPort: 8000}]}
                  volumes: [{name: scratch, emptyDir: {}}]
                ---
                apiVersion: v1
                kind: Service
                metadata: {name: side}
                spec: {selector: {app: side}, ports: [{name: web, port: 443, targetPort: web-in}]}
                """);
        await("log", "logs side -c proxy", "proxy");
        assertThat(kubectl("get pod side --no-headers")).contains("0/3", "Init:0/2");
        kubectl("exec side -c proxy -- touch /scratch/go");
        kubectl("wait --for=condition=Ready pod/side --timeout=120s");
        assertThat(kubectl("get pod side --no-headers")).contains("3/3", "Running");
        Eventually.isTrue(
                LIMIT,
                () -> "the Service",
                () -> curl("http://side.default.svc.cluster.local:443/").contains("side"));
        kubectl("exec side -c proxy -- kill 1");
        await("restart", "get pod side -o jsonpath={.status.initContainerStatuses[0].restartCount}", "1");
        kubectl("delete pod side svc/side --grace-period=10");
    }

    @Test
    void aPodWithASidecarEndsWithItsOwnContainers() throws Exception {
        apply("job", """
                apiVersion: v1
                kind: Pod
                metadata: {name: short}
                spec:
                  restartPolicy: Never
                  initContainers:
                    - {name: proxy, image: none, restartPolicy: Always, command: [sleep, "10000"]}
                  containers: [{name: main, image: none, command: [sleep, "1"]}]
                """);
        await("end", "get pod short -o jsonpath={.status.phase}", "Succeeded");
        assertThat(kubectl("get pod short --no-headers")).contains("0/2", "Completed");
        kubectl("delete pod short");
    }

    @Test
    void aFirstContainerThatFailsForGoodFailsItsPod() throws Exception {
        apply("failing", """
                apiVersion: v1
                kind: Pod
                metadata: {name: failing}
                spec:
                  restartPolicy: Never
                  initContainers: [{name: first, image: none, command: [sh, -c, 'exit 3']}]
                  containers: [{name: main, image: web}]
                """);
        await("failure", "get pod failing -o jsonpath={.status.phase}", "Failed");
        assertThat(kubectl("get pod failing --no-headers")).contains("0/1", "Init:Error");
        kubectl("delete pod failing --grace-period=1");
    }

    /** The first container ignores requests to end, so the Pod waits for its long grace. */
    @Test
    void aForcedEndWaitsForNoFirstContainer() throws Exception {
        apply("stubborn", """
                apiVersion: v1
                kind: Pod
                metadata: {name: stubborn}
                spec:
                  terminationGracePeriodSeconds: 600
                  initContainers:
                    - {name: first, image: none, command: [sh, -c, "trap '' TERM; echo began; while :; do sleep 0.98; done"]}
                  containers: [{name: main, image: web}]
                """);
        Eventually.isTrue(
                LIMIT,
                () -> "first container",
                () -> kubectl("logs stubborn -c first").contains("began"));
        kubectl("delete pod stubborn --wait=false");
        await("end", "get pod stubborn -o jsonpath={.metadata.deletionTimestamp}", "20");
        kubectl("delete pod stubborn --grace-period=0 --force");
        Eventually.isTrue(LIMIT, () -> "end of the process", () -> !isRunning("sleep 0.98"));
    }

    private static boolean isRunning(String words) throws IOException {
        try (Stream<Path> processes = Files.list(Path.of("/proc"))) {
            return processes
                    .map(each -> String.valueOf(each.getFileName()))
                    .filter(NodepathScript::isOurs)
                    .anyMatch(pid -> NodepathScript.commandLine(pid).contains(words));
        }
    }

    private static String curl(String url) throws IOException, InterruptedException {
        return request(url).output();
    }

    /** A connection to a Pod that has just ended would otherwise wait for all of the minute. */
    private static NodepathScript.Result request(String url) throws IOException, InterruptedException {
        return nodepath.ask("exec", "client-1", "--", "curl", "-s", "--connect-timeout", "10", "-m", "60", url);
    }

    private static String inside(String pod, String script) throws IOException, InterruptedException {
        return nodepath.ask("exec", pod, "--", "sh", "-c", script).output();
    }

    /** kubectl has a terminal of 100 columns here, and tells the size while the command runs. */
    @Test
    void aTerminalHasTheSizeOfTheClients() throws Exception {
        Path waits = Files.writeString(folder.resolve("waits.sh"), """
                tries=0
                until [ "$(stty size)" = "40 100" ] || [ $tries = 600 ]; do sleep 0.1; tries=$((tries + 1)); done
                stty size
                """);
        Path home = Path.of(System.getProperty("nodepath.home"));
        NodepathScript.Result result = NodepathScript.runLine(
                folder,
                home,
                "script --quiet --return /dev/null < /dev/null --command"
                        + " 'stty cols 100 rows 40; scripts/nodepath kubectl exec -it client-1 -- sh " + waits + "'");
        assertThat(result.output()).contains("40 100");
    }

    private static void apply(String name, String manifests) throws IOException, InterruptedException {
        Path file = Files.writeString(folder.resolve(name + ".yaml"), manifests);
        NodepathScript.Result applied = nodepath.ask("kubectl", "apply", "-f", file.toString());
        assertThat(applied.exitCode()).as(applied.output()).isZero();
    }

    private static String kubectl(String arguments) throws IOException, InterruptedException {
        return nodepath.ask(("kubectl " + arguments).split(" ", -1)).output();
    }

    private static void await(String what, String arguments, String expected) {
        Eventually.isTrue(
                LIMIT, () -> what + state(arguments), () -> kubectl(arguments).contains(expected));
    }

    private static void awaitOutput(String command, String pod, String expected) {
        Eventually.isTrue(
                LIMIT,
                () -> command + " " + pod + state("get pod"),
                () -> nodepath.ask(command, pod).output().contains(expected));
    }

    /** The facts needed to explain a failure: the last question, the Pods and their Events. */
    private static String state(String arguments) throws IOException, InterruptedException {
        return "\n" + kubectl(arguments) + kubectl("get pods -o wide") + kubectl("get events");
    }
}
