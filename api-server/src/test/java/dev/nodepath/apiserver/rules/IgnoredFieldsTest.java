package dev.nodepath.apiserver.rules;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.nodepath.apiserver.ClusterApi;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class IgnoredFieldsTest {
    /** What the cluster obeys, and what says nothing here: nothing is pulled, there is one scheduler, and accounts have no rights. */
    private static final Map<String, List<String>> OBEYED = Map.of(
            "core.v1.PodSpec",
            List.of(
                    "activeDeadlineSeconds affinity containers dnsConfig dnsPolicy enableServiceLinks hostAliases",
                    "hostNetwork hostUsers hostname initContainers nodeName nodeSelector readinessGates restartPolicy",
                    "schedulerName serviceAccount serviceAccountName setHostnameAsFQDN shareProcessNamespace subdomain",
                    "terminationGracePeriodSeconds tolerations topologySpreadConstraints volumes"),
            "core.v1.Container",
            List.of(
                    "args command env envFrom image imagePullPolicy lifecycle livenessProbe name ports readinessProbe",
                    "restartPolicy startupProbe terminationMessagePath terminationMessagePolicy volumeMounts workingDir"));

    /** A field that Kubernetes adds, or that this cluster learns, has to be put into one of the two lists. */
    @ParameterizedTest
    @ValueSource(strings = {"core.v1.PodSpec", "core.v1.Container"})
    void everyFieldIsObeyedOrNamed(String type) throws Exception {
        List<String> sorted = new ArrayList<>(
                List.of(String.join(" ", OBEYED.getOrDefault(type, List.of())).split(" ", -1)));
        (type.endsWith("PodSpec") ? IgnoredFields.POD : IgnoredFields.CONTAINER)
                .stream().filter(field -> !field.contains(".")).forEach(sorted::add);
        assertThat(sorted).containsExactlyInAnyOrderElementsOf(fields(type));
    }

    private static List<String> fields(String type) throws IOException {
        try (InputStream in = ClusterApi.class.getResourceAsStream("schema/types.txt")) {
            String text = new String(Objects.requireNonNull(in).readAllBytes(), StandardCharsets.UTF_8);
            String body = text.substring(text.indexOf("\n" + type + "\n") + type.length() + 2);
            return body.lines()
                    .takeWhile(line -> line.startsWith("  "))
                    .map(line -> line.strip().split(" ", -1)[0])
                    .toList();
        }
    }

    @Test
    void namesWhatAPodCannotHaveHere() {
        assertThat(warnings("""
                apiVersion: v1
                kind: Pod
                metadata: {name: a}
                spec:
                  securityContext: {runAsUser: 1}
                  hostPID: false
                  os: {name: linux}
                  initContainers: [{name: i, image: a, stdin: true}]
                  containers:
                  - {name: a, image: a, resources: {}, tty: true}
                  - {name: b, image: a, resources: {limits: {cpu: 1}}, securityContext: {}}
                  volumes: [{name: a, emptyDir: {}}, {name: b, nfs: {server: s, path: /}}]
                """)).isEqualTo("""
                spec.securityContext: this cluster ignores this field
                spec.os: this cluster ignores this field
                spec.volumes[1].nfs: this cluster ignores this field
                spec.initContainers[0].stdin: this cluster ignores this field
                spec.containers[0].tty: this cluster ignores this field
                spec.containers[1].resources: this cluster ignores this field""");
    }

    @Test
    void namesWhatATemplateCannotHaveHere() {
        assertThat(warnings("""
                apiVersion: apps/v1
                kind: StatefulSet
                metadata: {name: a}
                spec:
                  volumeClaimTemplates: [{metadata: {name: a}}]
                  persistentVolumeClaimRetentionPolicy: {whenScaled: Delete}
                  template: {spec: {priorityClassName: high, containers: [{name: a}]}}
                """)).isEqualTo("""
                spec.template.spec.priorityClassName: this cluster ignores this field
                spec.persistentVolumeClaimRetentionPolicy.whenScaled: this cluster ignores this field""");
    }

    private static String warnings(String yaml) {
        ObjectNode object = RuledCluster.yaml(yaml);
        return String.join("\n", new ClusterSchema().warnings(RuledCluster.resource(object), object));
    }
}
