package dev.nodepath.apiserver.rules;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.LongNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.nodepath.apiserver.Deletion;
import dev.nodepath.apiserver.resource.ObjectKey;
import dev.nodepath.apiserver.resource.Resource;
import dev.nodepath.apiserver.resource.Resources;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** The objects that Kubernetes 1.36 stores for minimal ones. */
class DefaultsTest {
    private static final String POD_TEMPLATE = """
            restartPolicy: Always
            dnsPolicy: ClusterFirst
            terminationGracePeriodSeconds: 30
            schedulerName: default-scheduler
            securityContext: {}
            """;
    private static final String CONTAINER = """
            terminationMessagePath: /dev/termination-log
            terminationMessagePolicy: File
            resources: {}
            """;

    static Stream<Arguments> objects() {
        return Stream.of(
                row("a Pod", """
                        apiVersion: v1
                        kind: Pod
                        metadata: {name: a}
                        spec:
                          containers:
                          - name: web
                            image: web
                            ports: [{containerPort: 80}]
                            livenessProbe: {httpGet: {port: 80}}
                            readinessProbe: {tcpSocket: {port: 80}, periodSeconds: 3}
                            env: [{name: A, valueFrom: {fieldRef: {fieldPath: metadata.name}}}]
                          volumes: [{name: c, configMap: {name: c}}, {name: e}]
                        """, "spec", POD_TEMPLATE + """
                        enableServiceLinks: true
                        priority: 0
                        preemptionPolicy: PreemptLowerPriority
                        serviceAccount: default
                        serviceAccountName: default
                        tolerations:
                        - {key: node.kubernetes.io/not-ready, operator: Exists, effect: NoExecute, tolerationSeconds: 300}
                        - {key: node.kubernetes.io/unreachable, operator: Exists, effect: NoExecute, tolerationSeconds: 300}
                        volumes: [{name: c, configMap: {name: c, defaultMode: 420}}, {name: e, emptyDir: {}}]
                        containers:
                        - name: web
                          image: web
                          imagePullPolicy: Always
                          ports: [{containerPort: 80, protocol: TCP}]
                          env: [{name: A, valueFrom: {fieldRef: {fieldPath: metadata.name, apiVersion: v1}}}]
                          livenessProbe:
                            httpGet: {port: 80, path: /, scheme: HTTP}
                            timeoutSeconds: 1
                            periodSeconds: 10
                            successThreshold: 1
                            failureThreshold: 3
                          readinessProbe:
                            tcpSocket: {port: 80}
                            timeoutSeconds: 1
                            periodSeconds: 3
                            successThreshold: 1
                            failureThreshold: 3
                        """ + CONTAINER.indent(2)),
                row("a Pod's status", """
                        apiVersion: v1
                        kind: Pod
                        metadata: {name: a}
                        spec:
                          containers: [{name: web, image: "web:1", resources: {limits: {cpu: 1, memory: 1Gi}}}]
                        status: {phase: Running}
                        """, "status", "{phase: Pending, qosClass: Guaranteed}"),
                row("a Service", """
                        apiVersion: v1
                        kind: Service
                        metadata: {name: a}
                        spec: {clusterIP: 10.96.0.10, selector: {app: a}, ports: [{port: 80}]}
                        """, "spec", """
                        type: ClusterIP
                        clusterIP: 10.96.0.10
                        clusterIPs: [10.96.0.10]
                        ipFamilies: [IPv4]
                        ipFamilyPolicy: SingleStack
                        internalTrafficPolicy: Cluster
                        sessionAffinity: None
                        selector: {app: a}
                        ports: [{port: 80, protocol: TCP, targetPort: 80}]
                        """),
                row("a headless Service that selects nothing", """
                        apiVersion: v1
                        kind: Service
                        metadata: {name: a}
                        spec: {clusterIP: None}
                        """, "spec", """
                        type: ClusterIP
                        clusterIP: None
                        clusterIPs: [None]
                        ipFamilies: [IPv4, IPv6]
                        ipFamilyPolicy: RequireDualStack
                        internalTrafficPolicy: Cluster
                        sessionAffinity: None
                        """),
                row(
                        "an ExternalName Service",
                        """
                        apiVersion: v1
                        kind: Service
                        metadata: {name: a}
                        spec: {type: ExternalName, externalName: example.com}
                        """,
                        "spec",
                        "{type: ExternalName, externalName: example.com, sessionAffinity: None}"),
                row("a LoadBalancer with session affinity", """
                        apiVersion: v1
                        kind: Service
                        metadata: {name: a}
                        spec:
                          type: LoadBalancer
                          clusterIP: 10.96.0.10
                          externalTrafficPolicy: Local
                          healthCheckNodePort: 30001
                          sessionAffinity: ClientIP
                          ports: [{port: 80, targetPort: web, nodePort: 30000}]
                        """, "spec", """
                        type: LoadBalancer
                        clusterIP: 10.96.0.10
                        clusterIPs: [10.96.0.10]
                        ipFamilies: [IPv4]
                        ipFamilyPolicy: SingleStack
                        allocateLoadBalancerNodePorts: true
                        externalTrafficPolicy: Local
                        internalTrafficPolicy: Cluster
                        healthCheckNodePort: 30001
                        sessionAffinity: ClientIP
                        sessionAffinityConfig: {clientIP: {timeoutSeconds: 10800}}
                        ports: [{port: 80, protocol: TCP, targetPort: web, nodePort: 30000}]
                        """),
                row("a Deployment", """
                        apiVersion: apps/v1
                        kind: Deployment
                        metadata: {name: a}
                        spec:
                          selector: {matchLabels: {app: a}}
                          template: {metadata: {labels: {app: a}}, spec: {containers: [{name: a, image: "a:1"}]}}
                        """, "spec", """
                        replicas: 1
                        revisionHistoryLimit: 10
                        progressDeadlineSeconds: 600
                        strategy: {type: RollingUpdate, rollingUpdate: {maxSurge: 25%, maxUnavailable: 25%}}
                        selector: {matchLabels: {app: a}}
                        template:
                          metadata: {labels: {app: a}}
                          spec:
                        """ + POD_TEMPLATE.indent(4) + """
                            containers:
                            - name: a
                              image: a:1
                              imagePullPolicy: IfNotPresent
                        """ + CONTAINER.indent(6)),
                row("a StatefulSet", """
                        apiVersion: apps/v1
                        kind: StatefulSet
                        metadata: {name: a}
                        spec:
                          serviceName: a
                          selector: {matchLabels: {app: a}}
                          template: {metadata: {labels: {app: a}}, spec: {containers: [{name: a, image: "a:1"}]}}
                        """, "spec", """
                        replicas: 1
                        revisionHistoryLimit: 10
                        serviceName: a
                        podManagementPolicy: OrderedReady
                        updateStrategy: {type: RollingUpdate, rollingUpdate: {partition: 0}}
                        persistentVolumeClaimRetentionPolicy: {whenDeleted: Retain, whenScaled: Retain}
                        selector: {matchLabels: {app: a}}
                        template:
                          metadata: {labels: {app: a}}
                          spec:
                        """ + POD_TEMPLATE.indent(4) + """
                            containers:
                            - name: a
                              image: a:1
                              imagePullPolicy: IfNotPresent
                        """ + CONTAINER.indent(6)),
                row("a Namespace", """
                        apiVersion: v1
                        kind: Namespace
                        metadata: {name: a}
                        """, "spec", "{finalizers: [kubernetes]}"),
                row("a Secret", """
                        apiVersion: v1
                        kind: Secret
                        metadata: {name: a}
                        stringData: {k: hello}
                        """, "data", "{k: aGVsbG8=}"),
                row("a Node", """
                        apiVersion: v1
                        kind: Node
                        metadata: {name: a}
                        spec: {podCIDR: 10.244.1.0/24}
                        """, "spec", "{podCIDR: 10.244.1.0/24, podCIDRs: [10.244.1.0/24]}"),
                row("a NetworkPolicy", """
                        apiVersion: networking.k8s.io/v1
                        kind: NetworkPolicy
                        metadata: {name: a}
                        spec: {podSelector: {}, egress: [{ports: [{port: 53}]}]}
                        """, "spec", """
                        podSelector: {}
                        egress: [{ports: [{port: 53, protocol: TCP}]}]
                        policyTypes: [Ingress, Egress]
                        """));
    }

    private static Arguments row(String name, String object, String field, String expected) {
        return Arguments.of(name, object, field, expected);
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("objects")
    void completes(String name, String object, String field, String expected) {
        assertThat(new RuledCluster().create(object).path(field)).isEqualTo(RuledCluster.yaml(expected));
    }

    @Test
    void completesNothingTwice() {
        RuledCluster cluster = new RuledCluster();
        objects().forEach(row -> {
            ObjectNode object = RuledCluster.yaml((String) row.get()[1]);
            object.withObjectProperty("metadata").put("name", "b" + Integer.toHexString(row.get()[0].hashCode()));
            object.at("/spec/ports").forEach(port -> ((ObjectNode) port).remove("nodePort"));
            if (object.path("spec").has("healthCheckNodePort")) {
                ((ObjectNode) object.path("spec")).remove("healthCheckNodePort");
            }
            if (object.path("spec").path("clusterIP").asText().startsWith("10.")) {
                ((ObjectNode) object.path("spec")).remove("clusterIP");
            }
            ObjectNode stored = cluster.create(object.toString());
            Resource resource = RuledCluster.resource(stored);
            assertThat(cluster.api().update(resource, stored.deepCopy())).isSameAs(stored);
            assertThat(cluster.api().update(resource, RuledCluster.yaml(stored.toString())))
                    .isSameAs(stored);
            assertThat(cluster.api().update(resource, (ObjectNode) withLongs(stored.deepCopy())))
                    .isSameAs(stored);
        });
    }

    /** A generation and a time until the end are the server's own numbers. */
    @Test
    void aChangeThatChangesNothingIsNoneHoweverTheNumbersCame() {
        RuledCluster cluster = new RuledCluster();
        ObjectNode created = cluster.create("""
                apiVersion: batch/v1
                kind: Job
                metadata: {name: a, finalizers: [a.example/b]}
                spec: {template: {spec: {restartPolicy: Never, containers: [{name: a, image: a}]}}}""");
        ObjectKey key = ObjectKey.of(created);
        cluster.api().modify(Resources.JOBS, key, "", job -> {
            job.withObjectProperty("spec").put("parallelism", 2L);
            return job;
        });
        cluster.api().delete(Resources.JOBS, key, Deletion.DEFAULT);
        ObjectNode stored = cluster.api().get(Resources.JOBS, key);
        for (ObjectNode same :
                List.of(RuledCluster.yaml(stored.toString()), (ObjectNode) withLongs(stored.deepCopy()))) {
            assertThat(cluster.api().update(Resources.JOBS, same)).isSameAs(stored);
            assertThat(cluster.api().modify(Resources.JOBS, key, "status", before -> same))
                    .isSameAs(stored);
        }
    }

    /** The same tree, with each whole number as a long. */
    private static JsonNode withLongs(JsonNode node) {
        if (node instanceof ObjectNode object) {
            object.properties().forEach(field -> field.setValue(withLongs(field.getValue())));
        } else if (node instanceof ArrayNode array) {
            for (int i = 0; i < array.size(); i++) {
                array.set(i, withLongs(array.get(i)));
            }
        }
        return node.isIntegralNumber() ? LongNode.valueOf(node.asLong()) : node;
    }

    @Test
    void labelsANamespaceWithItsName() {
        ObjectNode namespace = new RuledCluster().create("{apiVersion: v1, kind: Namespace, metadata: {name: a}}");
        assertThat(namespace
                        .path("metadata")
                        .path("labels")
                        .path("kubernetes.io/metadata.name")
                        .asText())
                .isEqualTo("a");
    }

    @Test
    void startsWithTheObjectsOfACluster() {
        RuledCluster cluster = new RuledCluster(1, "fd00:96::/112", "10.96.0.0/12");
        JsonNode service = cluster.api()
                .get(Resources.SERVICES, new ObjectKey("default", "kubernetes"))
                .path("spec");
        assertThat(service.path("clusterIP").asText()).isEqualTo("fd00:96::1");
        assertThat(service.path("ipFamilies").toString()).isEqualTo("[\"IPv6\"]");
        assertThat(cluster.api().list(Resources.NAMESPACES, "").objects()).hasSize(4);
        assertThat(cluster.api().list(Resources.SERVICE_ACCOUNTS, "").objects()).hasSize(4);
        assertThat(cluster.api()
                        .get(Resources.ENDPOINT_SLICES, new ObjectKey("default", "kubernetes"))
                        .path("endpoints")
                        .toString())
                .isEqualTo("[{\"addresses\":[\"172.30.0.2\"],\"conditions\":{\"ready\":true}}]");
    }
}
