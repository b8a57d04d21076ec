package dev.nodepath.apiserver.rules;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.ObjectNode;
import org.junit.jupiter.api.Test;

class IgnoredFieldsTest {
    @Test
    void namesWhatAPodCannotHaveHere() {
        assertThat(warnings("""
                apiVersion: v1
                kind: Pod
                metadata: {name: a}
                spec:
                  securityContext: {runAsUser: 1}
                  hostPID: false
                  containers:
                  - {name: a, image: a, resources: {}, tty: true}
                  - {name: b, image: a, resources: {limits: {cpu: 1}}, securityContext: {}}
                  volumes: [{name: a, emptyDir: {}}, {name: b, nfs: {server: s, path: /}}]
                """)).isEqualTo("""
                spec.securityContext: this cluster ignores this field
                spec.volumes[1].nfs: this cluster ignores this field
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
