package dev.nodepath.apiserver.rules;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.nodepath.apiserver.resource.Resource;
import dev.nodepath.apiserver.resource.Resources;
import dev.nodepath.apiserver.schema.FieldType;
import dev.nodepath.apiserver.schema.Schema;
import dev.nodepath.apiserver.schema.StructType;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class IgnoredFieldsTest {
    @Test
    void namesWhatAPodCannotHaveHere() {
        assertThat(warnings("""
                apiVersion: v1
                kind: Pod
                metadata: {name: a}
                spec:
                  securityContext: {runAsUser: 1}
                  hostUsers: true
                  initContainers:
                  - {name: i, image: a, volumeMounts: [{name: a, mountPath: /a, mountPropagation: HostToContainer}]}
                  containers:
                  - name: a
                    tty: true
                    resizePolicy: []
                    resources: {limits: {cpu: 1, memory: 1Gi, ephemeral-storage: 1Gi}, requests: {cpu: 500m}}
                  - name: b
                    lifecycle: {stopSignal: SIGUSR1}
                    securityContext: {}
                    resources: {limits: {cpu: 2, memory: 1Gi}, requests: {cpu: 2}}
                  volumes: [{name: a, emptyDir: {}}, {name: b, nfs: {server: s, path: /}}]
                """)).isEqualTo("""
                spec.securityContext: this cluster ignores this field
                spec.initContainers[0].volumeMounts[0].mountPropagation: this cluster ignores this field
                spec.containers[0].resources.limits[ephemeral-storage]: this cluster ignores this limit
                spec.containers[0].resources.requests: this cluster ignores this field
                spec.containers[1].lifecycle.stopSignal: this cluster ignores this field
                spec.volumes[1].nfs: this cluster ignores this field""");
    }

    @Test
    void namesWhatATemplateCannotHaveHere() {
        assertThat(warnings("""
                apiVersion: apps/v1
                kind: StatefulSet
                metadata: {name: a}
                spec:
                  volumeClaimTemplates: [{metadata: {name: a}, spec: {dataSource: {kind: A, name: a}}}]
                  persistentVolumeClaimRetentionPolicy: {whenScaled: Delete, whenDeleted: Retain}
                  template: {spec: {runtimeClassName: high, containers: [{name: a}]}}
                """)).isEqualTo("""
                spec.volumeClaimTemplates[0].spec.dataSource: this cluster ignores this field
                spec.template.spec.runtimeClassName: this cluster ignores this field""");
    }

    @ParameterizedTest
    @CsvSource({"2Gi, true", "1Gi, false", "1024Mi, false", "500Mi, false"})
    void saysThatAVolumeDoesNotGrow(String size, boolean said) {
        assertThat(warnings("{apiVersion: v1, kind: PersistentVolumeClaim, metadata: {name: a}, spec: {resources:"
                        + " {requests: {storage: " + size + "}}}, status: {capacity: {storage: 1Gi}}}"))
                .isEqualTo(said ? "spec.resources.requests.storage: volumes of this cluster keep their size" : "");
    }

    @ParameterizedTest
    @CsvSource({"1, true", "10%, true", "0, false", "0%, false"})
    void saysThatADaemonSetDoesNotSurge(String surge, boolean said) {
        assertThat(warnings("{apiVersion: apps/v1, kind: DaemonSet, metadata: {name: a}, spec: {updateStrategy:"
                        + " {rollingUpdate: {maxSurge: " + surge + ", maxUnavailable: 1}}}}"))
                .isEqualTo(said ? "spec.updateStrategy.rollingUpdate.maxSurge: this cluster ignores this field" : "");
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            type: kubernetes.io/service-account-token | type: this cluster puts no token into Secrets
            type: kubernetes.io/service-account-token, data: {token: YQ==} |
            type: kubernetes.io/service-account-token, stringData: {token: a} |
            type: Opaque |
            """)
    void saysThatASecretGetsNoToken(String fields, String warning) {
        ObjectNode secret = RuledCluster.yaml("{apiVersion: v1, kind: Secret, metadata: {name: a}, " + fields + "}");
        assertThat(new ClusterSchema().creationWarnings(Resources.SECRETS, secret))
                .isEqualTo(warning == null ? List.of() : List.of(warning));
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            deprecated: true, deprecationWarning: gone | spec.versions[0].deprecated
            deprecated: false |
            selectableFields: [{jsonPath: .spec.a}] | spec.versions[0].selectableFields
            schema: {openAPIV3Schema: {default: {}}} | spec.versions[0].schema.openAPIV3Schema.default
            schema: {openAPIV3Schema: {properties: {a: {type: object, properties: {b: {default: 1}, c: {default: 2}}}}}} | spec.versions[0].schema.openAPIV3Schema.properties[a].properties[b].default
            schema: {openAPIV3Schema: {properties: {a: {items: {x-kubernetes-validations: [{rule: self}]}}}}} | spec.versions[0].schema.openAPIV3Schema.properties[a].items.x-kubernetes-validations
            schema: {openAPIV3Schema: {additionalProperties: {default: a}}} | spec.versions[0].schema.openAPIV3Schema.additionalProperties.default
            schema: {openAPIV3Schema: {properties: {default: {type: string}}}} |
            """)
    void namesWhatADefinitionAsksInVain(String version, String named) {
        ObjectNode definition = RuledCluster.yaml("spec: {names: {kind: A}, versions: [{" + version + "}]}");
        String first = "A: stored; nothing in this cluster acts on it";
        assertThat(new ClusterSchema().creationWarnings(Resources.CUSTOM_RESOURCE_DEFINITIONS, definition))
                .isEqualTo(
                        named == null ? List.of(first) : List.of(first, named + ": this cluster ignores this field"));
    }

    @Test
    void namesTheStandardsThatANamespaceAsksFor() {
        assertThat(warnings("""
                apiVersion: v1
                kind: Namespace
                metadata:
                  name: a
                  labels:
                    team: a
                    pod-security.kubernetes.io/enforce: restricted
                    pod-security.kubernetes.io/enforce-version: latest
                    pod-security.kubernetes.io/audit: privileged
                    pod-security.kubernetes.io/warn: baseline
                """)).isEqualTo("""
                metadata.labels[pod-security.kubernetes.io/enforce]: this cluster ignores this label
                metadata.labels[pod-security.kubernetes.io/warn]: this cluster ignores this label""");
    }

    @Test
    void eachFieldOfTheSchemaIsEitherObeyedOrIgnored() {
        Map<String, List<String>> stated = stated();
        Map<String, List<String>> obeyed = obeyed();
        Map<String, List<String>> wrong = new TreeMap<>();
        Set<String> reached = new TreeSet<>();
        for (Resource resource : Resources.all()) {
            if (IgnoredFields.KINDS.contains(resource.kind())) {
                reach(
                        Objects.requireNonNull(
                                Schema.kubernetes().of(resource).fields().get("spec")),
                        obeyed,
                        reached);
            }
        }
        for (String name : reached) {
            StructType type = Schema.kubernetes().type(name).orElseThrow();
            List<String> fields = new ArrayList<>(stated.getOrDefault(name, List.of()));
            fields.sort(null);
            List<String> all = type.fields().keySet().stream().sorted().toList();
            if (!fields.equals(List.of("*")) && !fields.equals(all)) {
                wrong.put(name, fields);
            }
        }
        assertThat(wrong)
                .as("types whose fields are not each in obeyed.txt once")
                .isEmpty();
        assertThat(stated.keySet()).as("types of obeyed.txt").isEqualTo(reached);
    }

    private static void reach(FieldType field, Map<String, List<String>> obeyed, Set<String> reached) {
        if (!field.isStruct() || !reached.add(field.element())) {
            return;
        }
        StructType type = Schema.kubernetes().type(field.element()).orElseThrow();
        List<String> followed = obeyed.getOrDefault(field.element(), List.of());
        type.fields().forEach((name, inner) -> {
            if (followed.contains("*") || followed.contains(name)) {
                reach(inner, obeyed, reached);
            }
        });
    }

    private static Map<String, List<String>> stated() {
        return fields("+ ", "- ");
    }

    private static Map<String, List<String>> obeyed() {
        return fields("+ ");
    }

    private static Map<String, List<String>> fields(String... signs) {
        Map<String, List<String>> fields = new TreeMap<>();
        List<String> current = new ArrayList<>();
        for (String line : IgnoredFields.lines()) {
            if (!line.startsWith("+ ") && !line.startsWith("- ")) {
                current = fields.computeIfAbsent(line, name -> new ArrayList<>());
            } else if (List.of(signs).contains(line.substring(0, 2))) {
                for (String field : line.substring(2).split(" ", -1)) {
                    current.add(field.replaceFirst("=.*", ""));
                }
            }
        }
        return fields;
    }

    private static String warnings(String yaml) {
        ObjectNode object = RuledCluster.yaml(yaml);
        return String.join("\n", new ClusterSchema().warnings(RuledCluster.resource(object), object));
    }
}
