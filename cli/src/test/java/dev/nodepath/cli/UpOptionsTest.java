package dev.nodepath.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.nodepath.agent.options.CommandException;
import dev.nodepath.endpoints.source.ManifestObject;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;
import picocli.CommandLine.Command;

class UpOptionsTest {
    @TempDir
    private Path folder;

    @Test
    void listsEveryMistakeOfAllFilesAtOnce() throws IOException {
        Path file = Files.writeString(folder.resolve("mine.yaml"), """
                apiVersion: v1
                kind: Service
                metadata: {name: Web}
                spec: {ports: [{port: 70000}]}
                ---
                apiVersion: apps/v1
                kind: Deployment
                metadata: {name: shop}
                spec:
                  replicas: 2
                  selector: {matchLabels: {app: shop}}
                  template:
                    metadata: {labels: {app: store}}
                    spec: {contaners: [], containers: [{name: a, image: b}]}
                ---
                apiVersion: example.com/v1
                kind: Widget
                metadata: {name: once}
                ---
                apiVersion: v1
                kind: Pod
                metadata: {name: p}
                spec: {containers: [{name: a}]}
                ---
                apiVersion: v1
                kind: ConfigMap
                metadata: {name: settings}
                dta: {a: b}
                """);

        assertThat(problems(file.toString()))
                .hasSize(5)
                .anySatisfy(line -> assertThat(line)
                        .contains(
                                "mine.yaml: line 1: Service \"Web\" is invalid",
                                "spec.ports[0].port: Invalid value: 70000: must be between 1 and 65535, inclusive"))
                .anySatisfy(line -> assertThat(line).contains("line 6: Deployment.apps \"shop\" is invalid"))
                .anySatisfy(line -> assertThat(line).contains("spec.containers[0].image: Required value"))
                .anySatisfy(line -> assertThat(line).contains("ConfigMap \"settings\": unknown field \"dta\""));
    }

    @Test
    void leavesOutKindsThatTheClusterDoesNotServe() throws Exception {
        Path file = Files.writeString(folder.resolve("mine.yaml"), """
                apiVersion: example.com/v1
                kind: Widget
                metadata: {name: once}
                ---
                apiVersion: v1
                kind: ConfigMap
                metadata: {name: settings}
                """);
        UpOptions options = options(file.toString());
        assertThat(options.check())
                .singleElement()
                .asString()
                .contains(
                        "mine.yaml: line 2",
                        "Widget default/once",
                        "no matches for kind \"Widget\" in version \"example.com/v1\"; left out");
        Path made = Files.createDirectory(folder.resolve("made"));
        assertThat(options.topology(made).objects())
                .extracting(ManifestObject::kind)
                .contains("ConfigMap")
                .doesNotContain("Widget");
        // The faults of the other objects are still told.
        Path wrong =
                Files.writeString(folder.resolve("wrong.yaml"), "{apiVersion: v1, kind: Pod, metadata: {name: P}}");
        assertThat(problems(file.toString(), wrong.toString()))
                .singleElement()
                .asString()
                .contains("wrong.yaml");
    }

    /** The same words of several objects are said once. */
    @Test
    void warnsOfWhatNothingActsOn() throws Exception {
        Path file = Files.writeString(folder.resolve("mine.yaml"), """
                apiVersion: v1
                kind: Pod
                metadata: {name: a}
                spec: {hostPID: true, runtimeClassName: x, containers: [{name: c, image: i}]}
                ---
                apiVersion: v1
                kind: Pod
                metadata: {name: b}
                spec: {hostPID: true, containers: [{name: c, image: i, securityContext: {privileged: true}}]}
                ---
                apiVersion: networking.k8s.io/v1
                kind: IngressClass
                metadata: {name: one}
                spec: {controller: example.com/one}
                ---
                apiVersion: networking.k8s.io/v1
                kind: IngressClass
                metadata: {name: two}
                spec: {controller: example.com/two}
                """);
        String warning = "Warning: " + file + ": line ";
        String ignored = ": this cluster ignores this field";
        assertThat(options(file.toString()).check())
                .containsExactly(
                        warning + "1: document 1: Pod default/a: spec.hostPID" + ignored,
                        warning + "1: document 1: Pod default/a: spec.runtimeClassName" + ignored,
                        warning + "6: document 2: Pod default/b: spec.containers[0].securityContext" + ignored,
                        warning + "11: document 3: IngressClass default/one: IngressClass: stored; nothing in this"
                                + " cluster acts on it");
        assertThat(options().check()).isEmpty();
    }

    @Test
    void appliesObjectsOfKindsThatItsDefinitionsMake() throws Exception {
        Path file = Files.writeString(folder.resolve("mine.yaml"), """
                apiVersion: example.com/v1
                kind: Widget
                metadata: {name: once}
                spec: {any: [thing]}
                ---
                apiVersion: apiextensions.k8s.io/v1
                kind: CustomResourceDefinition
                metadata: {name: widgets.example.com}
                spec:
                  group: example.com
                  scope: Namespaced
                  names: {plural: widgets, kind: Widget}
                  versions: [{name: v1, served: true, storage: true, schema: {openAPIV3Schema: {type: object}}}]
                """);
        UpOptions options = options(file.toString());
        assertThat(options.check()).singleElement().asString().contains("Widget: stored; nothing in this cluster acts");
        Path made = Files.createDirectory(folder.resolve("made"));
        assertThat(options.topology(made).objects())
                .extracting(ManifestObject::kind)
                .contains("Widget");
    }

    /** A Pod is refused as long as they are not there. */
    @Test
    void createsWhatAPodNamesBeforeIt() throws Exception {
        Path file = Files.writeString(folder.resolve("mine.yaml"), """
                apiVersion: v1
                kind: Pod
                metadata: {name: web, namespace: shop}
                spec: {serviceAccountName: seller, priorityClassName: urgent, containers: [{name: a, image: b}]}
                ---
                apiVersion: scheduling.k8s.io/v1
                kind: PriorityClass
                metadata: {name: urgent}
                value: 1000
                ---
                apiVersion: v1
                kind: ServiceAccount
                metadata: {name: seller, namespace: shop}
                ---
                apiVersion: v1
                kind: Namespace
                metadata: {name: shop}
                """);

        assertThat(options(file.toString()).check()).isEmpty();
    }

    @Test
    void takesYamlWithoutAnyNode() throws IOException, CommandException {
        Path file = Files.writeString(
                folder.resolve("mine.yaml"),
                "{apiVersion: v1, kind: Service, metadata: {name: web}, spec: {ports: [{port: 80}]}}");

        options("--nodes=3", file.toString()).check();
    }

    @Test
    void refusesNodesTwice() throws IOException {
        Path file = Files.writeString(folder.resolve("mine.yaml"), """
                apiVersion: v1
                kind: Node
                metadata: {name: a}
                spec: {podCIDR: 10.244.1.0/24}
                status: {addresses: [{type: InternalIP, address: 172.30.0.11}]}
                """);

        assertThat(problems("--nodes=3", file.toString()))
                .containsExactly("--nodes: 3: the manifests have Nodes (expected: one or the other)");
        assertThat(problems("--nodes=0")).containsExactly("--nodes: 0 (expected: 1 to 50)");
        assertThat(problems("nothing.yaml"))
                .containsExactly("nothing.yaml: no such file or folder (expected: manifests)");
    }

    private static List<String> problems(String... arguments) {
        List<String> problems = new ArrayList<>();
        assertThatThrownBy(() -> options(arguments).check())
                .isInstanceOfSatisfying(CommandException.class, refused -> problems.addAll(refused.lines()));
        return problems;
    }

    private static UpOptions options(String... arguments) {
        Holder holder = new Holder();
        new CommandLine(holder).setCaseInsensitiveEnumValuesAllowed(true).parseArgs(arguments);
        return holder.options;
    }

    @Command
    private static final class Holder {
        @CommandLine.Mixin
        private final UpOptions options = new UpOptions();
    }
}
