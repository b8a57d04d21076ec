package dev.nodepath.apiserver.rules;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.nodepath.apiserver.Deletion;
import dev.nodepath.apiserver.StatusException;
import dev.nodepath.apiserver.resource.ObjectKey;
import dev.nodepath.apiserver.resource.Resources;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

/** The answers of Kubernetes 1.36 to mistakes: one line for each cause. */
class ValidationTest {
    private static final String CLAIM_STAYS = "spec: Forbidden: spec is immutable after creation except"
            + " resources.requests and volumeAttributesClassName for bound claims";

    private static final String LABEL =
            "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end"
                    + " with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is"
                    + " '[a-z0-9]([-a-z0-9]*[a-z0-9])?')";
    private static final String SUBDOMAIN =
            "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must"
                    + " start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is"
                    + " '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')";

    static Stream<Arguments> services() {
        return Stream.of(
                service("port out of range", "{ports: [{port: 70000}]}", """
                        spec.ports[0].port: Invalid value: 70000: must be between 1 and 65535, inclusive
                        spec.ports[0].targetPort: Invalid value: 70000: must be between 1 and 65535, inclusive"""),
                service("no port", "{ports: [{name: a}]}", """
                        spec.ports[0].port: Invalid value: 0: must be between 1 and 65535, inclusive
                        spec.ports[0].targetPort: Invalid value: 0: must be between 1 and 65535, inclusive"""),
                service("no ports", "{}", "spec.ports: Required value"),
                service("a bad type", "{type: NodePorts, ports: [{port: 80}]}", """
                        spec.type: Unsupported value: "NodePorts": supported values: "ClusterIP", "ExternalName", \
                        "LoadBalancer", "NodePort\""""),
                service("a bad protocol", "{ports: [{port: 80, protocol: HTTP}]}", """
                        spec.ports[0].protocol: Unsupported value: "HTTP": supported values: "SCTP", "TCP", "UDP\""""),
                service("two ports without names", "{ports: [{port: 80}, {port: 81}]}", """
                        spec.ports[0].name: Required value
                        spec.ports[1].name: Required value"""),
                service("a name twice", "{ports: [{name: a, port: 80}, {name: a, port: 81}]}", """
                        spec.ports[1].name: Duplicate value: "a\""""),
                service("a port twice", "{ports: [{name: a, port: 80}, {name: b, port: 80}]}", """
                        spec.ports[1]: Duplicate value: {"port":80,"protocol":"TCP"}"""),
                service(
                        "a port's name",
                        "{ports: [{name: Web_Port, port: 80}]}",
                        "spec.ports[0].name: Invalid value: \"Web_Port\": " + LABEL),
                service("a target's name", "{ports: [{port: 80, targetPort: this-name-is-too-long}]}", """
                        spec.ports[0].targetPort: Invalid value: "this-name-is-too-long": must be no more than 15 \
                        characters"""),
                service("a node port of a ClusterIP Service", "{ports: [{port: 80, nodePort: 30000}]}", """
                        spec.ports[0].nodePort: Forbidden: may not be used when `type` is 'ClusterIP'"""),
                service("a node port out of range", "{type: NodePort, ports: [{port: 80, nodePort: 80}]}", """
                        spec.ports[0].nodePort: Invalid value: 80: provided port is not in the valid range. The range of \
                        valid ports is 30000-32767"""),
                service("an address in use", "{clusterIP: 10.96.0.1, ports: [{port: 80}]}", """
                        spec.clusterIPs: Invalid value: ["10.96.0.1"]: failed to allocate IP 10.96.0.1: provided IP is \
                        already allocated"""),
                service("an address of no range", "{clusterIP: 10.0.0.1, ports: [{port: 80}]}", """
                        spec.clusterIPs: Invalid value: ["10.0.0.1"]: failed to allocate IP 10.0.0.1: the provided \
                        network does not match the current range"""),
                service("no address", "{clusterIP: 10.96.0.300, ports: [{port: 80}]}", """
                        spec.clusterIPs[0]: Invalid value: "10.96.0.300": must be a valid IP address, (e.g. 10.9.8.7 or \
                        2001:db8::ffff)"""),
                service("a family that is not there", "{ipFamilies: [IPv6], ports: [{port: 80}]}", """
                        spec.ipFamilies[0]: Invalid value: "IPv6": not configured on this cluster"""),
                service("two families on one", "{ipFamilyPolicy: RequireDualStack, ports: [{port: 80}]}", """
                        spec.ipFamilyPolicy: Invalid value: "RequireDualStack": this cluster is not configured for \
                        dual-stack services"""),
                service("a headless NodePort", "{type: NodePort, clusterIP: None, ports: [{port: 80}]}", """
                        spec.clusterIPs[0]: Invalid value: "None": may not be set to 'None' for NodePort services"""),
                service("an ExternalName without name", "{type: ExternalName}", "spec.externalName: Required value"),
                service(
                        "an ExternalName with a bad name",
                        "{type: ExternalName, externalName: Example.com}",
                        "spec.externalName: Invalid value: \"Example.com\": " + SUBDOMAIN),
                service("affinity for too long", """
                        {sessionAffinity: ClientIP, sessionAffinityConfig: {clientIP: {timeoutSeconds: 90000}},
                         ports: [{port: 80}]}""", """
                        spec.sessionAffinityConfig.clientIP.timeoutSeconds: Invalid value: 90000: must be greater than 0 \
                        and less than 86400"""),
                service("affinity", "{sessionAffinity: Cookie, ports: [{port: 80}]}", """
                        spec.sessionAffinity: Unsupported value: "Cookie": supported values: "ClientIP", "None\""""),
                service("policies", """
                        {externalTrafficPolicy: Local, internalTrafficPolicy: Near, ports: [{port: 80}]}""", """
                        spec.externalTrafficPolicy: Invalid value: "Local": may only be set for externally-accessible \
                        services
                        spec.internalTrafficPolicy: Unsupported value: "Near": supported values: "Cluster", "Local\""""),
                service("a selector", "{selector: {app: 'a b'}, ports: [{port: 80}]}", """
                        spec.selector: Invalid value: "a b": a valid label must be an empty string or consist of \
                        alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character \
                        (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is \
                        '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')"""));
    }

    private static Arguments service(String name, String spec, String expected) {
        return Arguments.of(
                name, "{apiVersion: v1, kind: Service, metadata: {name: web}, spec: " + spec + "}", expected);
    }

    static Stream<Arguments> pods() {
        return Stream.of(
                pod("no container", "{}", "spec.containers: Required value"),
                pod("no name and no image", "{containers: [{}]}", """
                        spec.containers[0].name: Required value
                        spec.containers[0].image: Required value"""),
                pod("a name twice", "{containers: [{name: a, image: a}, {name: a, image: a}]}", """
                        spec.containers[1].name: Duplicate value: "a\""""),
                pod("policies", "{restartPolicy: Sometimes, dnsPolicy: Maybe, containers: [{name: a, image: a}]}", """
                        spec.restartPolicy: Unsupported value: "Sometimes": supported values: "Always", "OnFailure", "Never"
                        spec.dnsPolicy: Unsupported value: "Maybe": supported values: "ClusterFirstWithHostNet", \
                        "ClusterFirst", "Default", "None\""""),
                container("a mount of no volume", "volumeMounts: [{name: v, mountPath: /a}]", """
                        spec.containers[0].volumeMounts[0].name: Not found: "v\""""),
                container("ports", """
                        ports: [{containerPort: 0}, {name: Bad_, containerPort: 65536}, {name: a, containerPort: 1},
                         {name: a, containerPort: 2, protocol: tcp}]""", """
                        spec.containers[0].ports[0].containerPort: Required value
                        spec.containers[0].ports[1].name: Invalid value: "Bad_": must contain only alpha-numeric \
                        characters (a-z, 0-9), and hyphens (-)
                        spec.containers[0].ports[1].containerPort: Invalid value: 65536: must be between 1 and 65535, \
                        inclusive
                        spec.containers[0].ports[3].protocol: Unsupported value: "tcp": supported values: "SCTP", "TCP", \
                        "UDP"
                        spec.containers[0].ports[3].name: Duplicate value: "a\""""),
                container("environment", """
                        env: [{value: a}, {name: 'a=b'}, {name: c, valueFrom: {}},
                         {name: d, value: x, valueFrom: {fieldRef: {fieldPath: metadata.name}}},
                         {name: e, valueFrom: {fieldRef: {fieldPath: spec.foo}}},
                         {name: f, valueFrom: {fieldRef: {fieldPath: status.phase}}}]""", """
                        spec.containers[0].env[0].name: Required value
                        spec.containers[0].env[1].name: Invalid value: "a=b": a valid environment variable name must \
                        consist only of printable ASCII characters other than '='
                        spec.containers[0].env[2].valueFrom: Invalid value: "": must specify one of: `fieldRef`, \
                        `resourceFieldRef`, `configMapKeyRef` or `secretKeyRef`
                        spec.containers[0].env[3].valueFrom: Invalid value: "": may not be specified when `value` is not \
                        empty
                        spec.containers[0].env[4].valueFrom.fieldRef.fieldPath: Invalid value: "spec.foo": error \
                        converting fieldPath: field label not supported: spec.foo
                        spec.containers[0].env[5].valueFrom.fieldRef.fieldPath: Unsupported value: "status.phase": supported \
                        values: "metadata.name", "metadata.namespace", "metadata.uid", "spec.nodeName", \
                        "spec.serviceAccountName", "status.hostIP", "status.hostIPs", "status.podIP", "status.podIPs\""""),
                container("probes", """
                        livenessProbe: {periodSeconds: -1, successThreshold: 2},
                        readinessProbe: {httpGet: {port: 0}, tcpSocket: {port: web-site-with-a-long-name}}""", """
                        spec.containers[0].livenessProbe: Required value: must specify a handler type
                        spec.containers[0].livenessProbe.periodSeconds: Invalid value: -1: must be greater than or equal \
                        to 0
                        spec.containers[0].readinessProbe.tcpSocket: Forbidden: may not specify more than 1 handler type
                        spec.containers[0].readinessProbe.httpGet.port: Invalid value: 0: must be between 1 and 65535, \
                        inclusive
                        spec.containers[0].readinessProbe.tcpSocket.port: Invalid value: "web-site-with-a-long-name": \
                        must be no more than 15 characters
                        spec.containers[0].livenessProbe.successThreshold: Invalid value: 2: must be 1"""),
                container("pull policy", "imagePullPolicy: Often", """
                        spec.containers[0].imagePullPolicy: Unsupported value: "Often": supported values: "Always", \
                        "IfNotPresent", "Never\""""),
                container("resources", "resources: {requests: {cpu: '2'}, limits: {cpu: '1', memory: '-1'}}", """
                        spec.containers[0].resources.limits[memory]: Invalid value: "-1": must be greater than or equal \
                        to 0
                        spec.containers[0].resources.requests[memory]: Invalid value: "-1": must be greater than or \
                        equal to 0
                        spec.containers[0].resources.requests: Invalid value: "2": must be less than or equal to cpu \
                        limit of 1"""),
                container("what nobody counts", """
                        resources: {limits: {foo: 1, pods: 1, 'a.example/gpu': 500m}, requests: {'b.example/gpu': 1}}""", """
                        spec.containers[0].resources.limits[foo]: Invalid value: "foo": must be a standard resource \
                        type or fully qualified
                        spec.containers[0].resources.limits[foo]: Invalid value: "foo": must be a standard resource \
                        for containers
                        spec.containers[0].resources.limits[pods]: Invalid value: "pods": must be a standard resource \
                        for containers
                        spec.containers[0].resources.limits[a.example/gpu]: Invalid value: "500m": must be an integer
                        spec.containers[0].resources.requests[foo]: Invalid value: "foo": must be a standard resource \
                        type or fully qualified
                        spec.containers[0].resources.requests[foo]: Invalid value: "foo": must be a standard resource \
                        for containers
                        spec.containers[0].resources.requests[pods]: Invalid value: "pods": must be a standard resource \
                        for containers
                        spec.containers[0].resources.requests[a.example/gpu]: Invalid value: "500m": must be an integer
                        spec.containers[0].resources.limits: Required value: Limit must be set for non overcommitable \
                        resources"""),
                container("an extended resource", """
                        resources: {limits: {'a.example/gpu': 2}, requests: {'a.example/gpu': 1}}""", """
                        spec.containers[0].resources.requests: Invalid value: "1": must be equal to a.example/gpu limit \
                        of 2"""),
                pod("a folder in memory", """
                        {containers: [{name: a, image: a}], volumes: [{name: v, emptyDir: {sizeLimit: -1Gi}}]}""", """
                        spec.volumes[0].emptyDir.sizeLimit: Forbidden: SizeLimit field must be a valid resource \
                        quantity"""),
                pod("volumes", """
                        {containers: [{name: a, image: a}],
                         volumes: [{name: A_}, {name: b, configMap: {name: c}, secret: {secretName: s}},
                         {name: b, configMap: {items: [{key: k, path: /p}, {key: k, path: ../p}]}}]}""", "spec.volumes[0].name: Invalid value: \"A_\": " + LABEL + """

                        spec.volumes[1].secret: Forbidden: may not specify more than 1 volume type
                        spec.volumes[2].name: Duplicate value: "b"
                        spec.volumes[2].configMap.name: Required value
                        spec.volumes[2].configMap.items[0].path: Invalid value: "/p": must be a relative path
                        spec.volumes[2].configMap.items[1].path: Invalid value: "../p": must not contain '..'"""),
                pod("tokens", """
                        {containers: [{name: a, image: a}], volumes: [{name: v, projected: {sources: [
                         {serviceAccountToken: {}}, {serviceAccountToken: {path: ../t, expirationSeconds: 599}},
                         {serviceAccountToken: {path: t, expirationSeconds: 4294967297}}]}}]}""", """
                        spec.volumes[0].projected.sources[0].serviceAccountToken.path: Required value
                        spec.volumes[0].projected.sources[1].serviceAccountToken.path: Invalid value: "../t": must not \
                        contain '..'
                        spec.volumes[0].projected.sources[1].serviceAccountToken.expirationSeconds: Invalid value: \
                        599: may not specify a duration less than 10 minutes
                        spec.volumes[0].projected.sources[2].serviceAccountToken.expirationSeconds: Invalid value: \
                        4294967297: may not specify a duration larger than 2^32 seconds"""),
                pod("tolerations", """
                        {containers: [{name: a, image: a}],
                         tolerations: [{operator: Equal}, {key: a, operator: Exists, value: b, tolerationSeconds: 3}]}""", """
                        spec.tolerations[0].operator: Invalid value: "Equal": operator must be Exists when `key` is \
                        empty, which means "match all values and all keys"
                        spec.tolerations[1].operator: Invalid value: "Exists": value must be empty when `operator` is \
                        'Exists'
                        spec.tolerations[1].effect: Invalid value: "": effect must be 'NoExecute' when \
                        `tolerationSeconds` is set"""),
                pod("an init container with a probe", """
                        {containers: [{name: a, image: a}],
                         initContainers: [{name: a, image: a, livenessProbe: {exec: {command: [a]}}}]}""", """
                        spec.initContainers[0].name: Duplicate value: "a"
                        spec.initContainers[0].livenessProbe: Forbidden: may not be set for init containers without \
                        restartPolicy=Always"""));
    }

    private static Arguments pod(String name, String spec, String expected) {
        return Arguments.of(name, "{apiVersion: v1, kind: Pod, metadata: {name: a}, spec: " + spec + "}", expected);
    }

    private static Arguments container(String name, String fields, String expected) {
        return pod(name, "{containers: [{name: a, image: a, " + fields + "}]}", expected);
    }

    static Stream<Arguments> others() {
        return Stream.of(
                Arguments.of("no name", "{apiVersion: v1, kind: ConfigMap}", """
                        metadata.name: Required value: name or generateName is required"""),
                Arguments.of(
                        "a bad name",
                        "{apiVersion: v1, kind: ConfigMap, metadata: {name: A}}",
                        "metadata.name: Invalid value: \"A\": " + SUBDOMAIN),
                Arguments.of("a Service's name", """
                        {apiVersion: v1, kind: Service, metadata: {name: a.b}, spec: {ports: [{port: 80}]}}""", """
                        metadata.name: Invalid value: "a.b": a lowercase RFC 1123 label must consist of lower case \
                        alphanumeric characters or '-', and must start and end with an alphanumeric character (e.g. \
                        'my-name',  or '123-abc', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')"""),
                Arguments.of("labels", """
                        {apiVersion: v1, kind: ConfigMap, metadata: {name: a, labels: {'a/b/c': x, '/d': x}}}""", """
                        metadata.labels: Invalid value: "a/b/c": a qualified name must consist of alphanumeric \
                        characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. \
                        'MyName',  or 'my.name',  or '123-abc', regex used for validation is \
                        '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]') with an optional DNS subdomain prefix and '/' (e.g. \
                        'example.com/MyName')
                        metadata.labels: Invalid value: "/d": prefix part must be non-empty"""),
                Arguments.of("a key", "{apiVersion: v1, kind: ConfigMap, metadata: {name: a}, data: {'a b': x}}", """
                        data[a b]: Invalid value: "a b": a valid config key must consist of alphanumeric characters, \
                        '-', '_' or '.' (e.g. 'key.name',  or 'KEY_NAME',  or 'key-name', regex used for validation is \
                        '[-._a-zA-Z0-9]+')"""),
                Arguments.of("a Secret for TLS", """
                        {apiVersion: v1, kind: Secret, metadata: {name: a}, type: kubernetes.io/tls}""", """
                        data[tls.crt]: Required value
                        data[tls.key]: Required value"""),
                Arguments.of("finalizers", """
                        {apiVersion: v1, kind: ConfigMap, metadata: {name: a, finalizers: [a.example/b, orphan, mine, 'a b/c']}}
                        """, """
                        metadata.finalizers[2]: Invalid value: "mine": name is neither a standard finalizer name nor is \
                        it fully qualified
                        metadata.finalizers: Invalid value: "a b/c": prefix part\s""" + SUBDOMAIN),
                Arguments.of("a volume without all", """
                        {apiVersion: v1, kind: PersistentVolume, metadata: {name: a}, spec: {}}""", """
                        spec.accessModes: Required value
                        spec.capacity: Required value
                        spec.capacity: Unsupported value: null: supported values: "storage"
                        spec: Required value: must specify a volume type"""),
                Arguments.of("a volume", """
                        apiVersion: v1
                        kind: PersistentVolume
                        metadata: {name: a}
                        spec:
                          accessModes: [Some]
                          capacity: {storage: '0'}
                          hostPath: {path: /a}
                          nfs: {server: a, path: /}
                          persistentVolumeReclaimPolicy: Burn
                        """, """
                        spec.accessModes: Unsupported value: "Some": supported values: "ReadOnlyMany", "ReadWriteMany", \
                        "ReadWriteOnce", "ReadWriteOncePod"
                        spec.capacity[storage]: Invalid value: "0": must be greater than zero
                        spec.persistentVolumeReclaimPolicy: Unsupported value: "Burn": supported values: "Delete", \
                        "Recycle", "Retain"
                        spec.nfs: Forbidden: may not specify more than 1 volume type"""),
                Arguments.of("a StorageClass", """
                        {apiVersion: storage.k8s.io/v1, kind: StorageClass, metadata: {name: a}, reclaimPolicy: Burn,
                         volumeBindingMode: Later}""", """
                        provisioner: Required value
                        reclaimPolicy: Unsupported value: "Burn": supported values: "Delete", "Retain"
                        volumeBindingMode: Unsupported value: "Later": supported values: "Immediate", \
                        "WaitForFirstConsumer\""""),
                Arguments.of("Secrets of accounts", """
                        {apiVersion: v1, kind: Secret, metadata: {name: a}, type: kubernetes.io/service-account-token}""", """
                        metadata.annotations[kubernetes.io/service-account.name]: Required value"""),
                Arguments.of("a Secret without a user", """
                        {apiVersion: v1, kind: Secret, metadata: {name: a}, type: kubernetes.io/basic-auth}""", """
                        data[username]: Required value
                        data[password]: Required value"""),
                Arguments.of("a Secret with a user", """
                        {apiVersion: v1, kind: Secret, metadata: {name: a}, type: kubernetes.io/basic-auth,
                         stringData: {username: ''}}""", ""),
                Arguments.of("rules of a Role", """
                        apiVersion: rbac.authorization.k8s.io/v1
                        kind: Role
                        metadata: {name: a}
                        rules: [{apiGroups: [''], resources: [pods]}, {verbs: [get]}, {verbs: [get], nonResourceURLs: [/a]}]
                        """, """
                        rules[0].verbs: Required value: verbs must contain at least one value
                        rules[1].apiGroups: Required value: resource rules must supply at least one api group
                        rules[1].resources: Required value: resource rules must supply at least one resource
                        rules[2].nonResourceURLs: Invalid value: ["/a"]: namespaced rules cannot apply to non-resource \
                        URLs"""),
                Arguments.of("rules of a ClusterRole", """
                        apiVersion: rbac.authorization.k8s.io/v1
                        kind: ClusterRole
                        metadata: {name: a}
                        rules: [{verbs: [get], nonResourceURLs: [/a]}, {verbs: [get], nonResourceURLs: [/a], resources: [pods]}]
                        """, """
                        rules[1].nonResourceURLs: Invalid value: ["/a"]: rules cannot apply to both regular resources \
                        and non-resource URLs"""),
                Arguments.of("a Deployment without selector", """
                        apiVersion: apps/v1
                        kind: Deployment
                        metadata: {name: a}
                        spec: {replicas: -1, template: {spec: {restartPolicy: Never, containers: [{name: a, image: a}]}}}
                        """, """
                        spec.replicas: Invalid value: -1: must be greater than or equal to 0
                        spec.selector: Required value
                        spec.template.spec.restartPolicy: Unsupported value: "Never": supported values: "Always\""""),
                Arguments.of("a Deployment of other Pods", """
                        apiVersion: apps/v1
                        kind: Deployment
                        metadata: {name: a}
                        spec:
                          selector: {matchLabels: {app: a}}
                          strategy: {rollingUpdate: {maxSurge: 0, maxUnavailable: 0%}}
                          progressDeadlineSeconds: 5
                          minReadySeconds: 5
                          template: {metadata: {labels: {app: b}}, spec: {containers: [{name: a, image: a}]}}
                        """, """
                        spec.template.metadata.labels: Invalid value: {"app":"b"}: `selector` does not match template \
                        `labels`
                        spec.strategy.rollingUpdate.maxUnavailable: Invalid value: "0%": may not be 0 when `maxSurge` is 0
                        spec.progressDeadlineSeconds: Invalid value: 5: must be greater than minReadySeconds"""),
                Arguments.of("an EndpointSlice", """
                        apiVersion: discovery.k8s.io/v1
                        kind: EndpointSlice
                        metadata: {name: a}
                        addressType: IPv4
                        endpoints: [{addresses: []}, {addresses: ['fd00::1']}, {addresses: [127.0.0.1]}]
                        ports: [{port: 80}, {port: 81}]
                        """, """
                        endpoints[0].addresses: Required value: must contain at least 1 address
                        endpoints[1].addresses[0]: Invalid value: "fd00::1": must be an IPv4 address
                        endpoints[2].addresses[0]: Invalid value: "127.0.0.1": may not be in the loopback range \
                        (127.0.0.0/8, ::1/128)
                        ports[1].name: Duplicate value: \"\""""),
                Arguments.of("a ServiceCIDR", """
                        {apiVersion: networking.k8s.io/v1, kind: ServiceCIDR, metadata: {name: a}, spec: {cidrs: [10.0/8]}}
                        """, """
                        spec.cidrs[0]: Invalid value: "10.0/8": must be a valid CIDR value, (e.g. 10.9.8.0/24 or \
                        2001:db8::/64)"""),
                Arguments.of(
                        "a claim without a size",
                        "{apiVersion: v1, kind: PersistentVolumeClaim, metadata: {name: a}, spec: {}}",
                        """
                        spec.accessModes: Required value: at least 1 access mode is required
                        spec.resources[storage]: Required value"""),
                Arguments.of("a claim", """
                        apiVersion: v1
                        kind: PersistentVolumeClaim
                        metadata: {name: a}
                        spec:
                          accessModes: [ReadWriteOncePod, ReadOnlyMany]
                          storageClassName: A
                          volumeMode: Disk
                          resources: {requests: {storage: -1Gi}}
                        """, """
                        spec.storageClassName: Invalid value: "A":\s""" + SUBDOMAIN + """

                        spec.volumeMode: Unsupported value: "Disk": supported values: "Block", "Filesystem"
                        spec.accessModes: Forbidden: may not use ReadWriteOncePod with other access modes
                        spec.resources[storage]: Invalid value: "-1Gi": must be greater than zero"""),
                Arguments.of("a Node's taint", """
                        {apiVersion: v1, kind: Node, metadata: {name: a}, spec: {taints: [{key: a, effect: Never}]}}""", """
                        spec.taints[0].effect: Unsupported value: "Never": supported values: "NoSchedule", \
                        "PreferNoSchedule", "NoExecute\""""));
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource({"services", "pods", "others"})
    void names(String name, String object, String expected) {
        RuledCluster cluster = new RuledCluster();
        assertThat(RuledCluster.complaints(() -> cluster.create(object))).isEqualTo(expected);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '#', textBlock = """
            {metadata: {labels: {a: b}}} | a | spec.volumes[0].ephemeral.volumeClaimTemplate.spec.accessModes: Required value: at least 1 access mode is required;spec.volumes[0].ephemeral.volumeClaimTemplate.spec.resources[storage]: Required value
            {spec: {accessModes: [Some], resources: {requests: {storage: 0}}}} | a | spec.volumes[0].ephemeral.volumeClaimTemplate.spec.accessModes: Unsupported value: "Some": supported values: "ReadOnlyMany", "ReadWriteMany", "ReadWriteOnce", "ReadWriteOncePod";spec.volumes[0].ephemeral.volumeClaimTemplate.spec.resources[storage]: Invalid value: "0": must be greater than zero
            {spec: {accessModes: [ReadWriteOnce], resources: {requests: {storage: 1Gi}}}} | LONG | spec.volumes[0].name: Invalid value: "v": PVC name "LONG-v": must be no more than 253 bytes
            {spec: {accessModes: [ReadWriteOnce], resources: {requests: {storage: 1Gi}}}} | a | ##
            """)
    void aClaimOfAnEphemeralVolumeCanBeMade(String template, String pod, String expected) {
        String name = pod.replace("LONG", "a".repeat(252));
        RuledCluster cluster = new RuledCluster();
        assertThat(RuledCluster.complaints(() -> cluster.create("{apiVersion: v1, kind: Pod, metadata: {name: " + name
                        + "}, spec: {containers: [{name: c, image: i}], volumes: [{name: v, ephemeral:"
                        + " {volumeClaimTemplate: " + template + "}}]}}")))
                .isEqualTo(expected.replace(';', '\n').replace("LONG", name));
    }

    @ParameterizedTest(name = "{0}")
    @CsvSource(delimiter = '|', quoteCharacter = '#', textBlock = """
            a digit first in a Service's name | {apiVersion: v1, kind: Service, metadata: {name: 7zip}, spec: {ports: [{port: 80}]}}
            spaces around a source range | {apiVersion: v1, kind: Service, metadata: {name: a}, spec: {type: LoadBalancer, loadBalancerSourceRanges: [" 192.0.2.0/24 "], ports: [{port: 80}]}}
            mounts of claims | {apiVersion: apps/v1, kind: StatefulSet, metadata: {name: a}, spec: {selector: {matchLabels: {a: b}}, template: {metadata: {labels: {a: b}}, spec: {containers: [{name: c, image: i, volumeMounts: [{name: pages, mountPath: /p}]}]}}, volumeClaimTemplates: [{metadata: {name: pages}}]}}
            """)
    void accepts(String shows, String object) {
        RuledCluster cluster = new RuledCluster();
        assertThat(RuledCluster.complaints(() -> cluster.create(object)))
                .as(shows)
                .isEmpty();
    }

    @Test
    void listsTenMistakesAtOnce() {
        String object = """
                apiVersion: v1
                kind: Pod
                metadata: {name: A, labels: {app: 'a b'}}
                spec:
                  restartPolicy: Sometimes
                  dnsPolicy: Maybe
                  containers:
                  - {name: B, imagePullPolicy: Often, ports: [{containerPort: 70000}],
                     volumeMounts: [{name: v, mountPath: /a}], env: [{name: ''}]}
                """;
        RuledCluster cluster = new RuledCluster();
        assertThat(RuledCluster.complaints(() -> cluster.create(object)).lines())
                .hasSize(10);
    }

    @Test
    void saysItInOneMessage() {
        RuledCluster cluster = new RuledCluster();
        try {
            cluster.create("{apiVersion: v1, kind: Service, metadata: {name: web}, spec: {ports: [{port: 70000}]}}");
            throw new AssertionError("was accepted");
        } catch (StatusException e) {
            assertThat(e.code()).isEqualTo(422);
            assertThat(e.getMessage()).isEqualTo("""
                    Service "web" is invalid: [spec.ports[0].port: Invalid value: 70000: must be between 1 and 65535, \
                    inclusive, spec.ports[0].targetPort: Invalid value: 70000: must be between 1 and 65535, inclusive]""");
        }
    }

    static Stream<Arguments> changes() {
        String pod = "{apiVersion: v1, kind: Pod, metadata: {name: a}, spec: {containers: [{name: a, image: %s}]%s}}";
        String deployment = """
                apiVersion: apps/v1
                kind: Deployment
                metadata: {name: a}
                spec:
                  selector: {matchLabels: {app: %1$s}}
                  template: {metadata: {labels: {app: %1$s}}, spec: {containers: [{name: a, image: a}]}}
                """;
        String service = "{apiVersion: v1, kind: Service, metadata: {name: a}, spec: {%s}}";
        return Stream.of(
                Arguments.of("a Pod's image", pod.formatted("a", ""), pod.formatted("b", ""), ""),
                Arguments.of("a Pod's Node, once", pod.formatted("a", ""), pod.formatted("a", ", nodeName: n1"), ""),
                Arguments.of("a Pod's host name", pod.formatted("a", ""), pod.formatted("a", ", hostname: b"), """
                        spec: Forbidden: pod updates may not change fields other than \
                        `spec.containers[*].image`,`spec.initContainers[*].image`,`spec.activeDeadlineSeconds`,\
                        `spec.tolerations` (only additions to existing tolerations),`spec.terminationGracePeriodSeconds` \
                        (allow it to be set to 1 if it was previously negative)"""),
                Arguments.of("a Deployment's selector", deployment.formatted("a"), deployment.formatted("b"), """
                        spec.selector: Invalid value: {"matchLabels":{"app":"b"}}: field is immutable"""),
                Arguments.of(
                        "a Service's address",
                        service.formatted("clusterIP: 10.96.0.10, ports: [{port: 80}]"),
                        service.formatted("clusterIP: 10.96.0.11, ports: [{port: 80}]"),
                        """
                        spec.clusterIPs[0]: Invalid value: ["10.96.0.11"]: may not change once set"""),
                Arguments.of(
                        "a Service to NodePort",
                        service.formatted("ports: [{port: 80}]"),
                        service.formatted("type: NodePort, ports: [{port: 80, nodePort: 30080}]"),
                        ""),
                Arguments.of(
                        "a Service to ExternalName",
                        service.formatted("type: NodePort, ports: [{port: 80}]"),
                        service.formatted("type: ExternalName, externalName: a.b"),
                        ""),
                Arguments.of("a StatefulSet's Service", statefulSet("a"), statefulSet("b"), """
                        spec: Forbidden: updates to statefulset spec for fields other than 'replicas', 'ordinals', \
                        'template', 'updateStrategy', 'revisionHistoryLimit', 'persistentVolumeClaimRetentionPolicy' and \
                        'minReadySeconds' are forbidden"""),
                Arguments.of("a volume's source", volume("hostPath: {path: /a}"), volume("hostPath: {path: /b}"), """
                        spec.persistentvolumesource: Forbidden: spec.persistentvolumesource is immutable after creation"""),
                Arguments.of(
                        "a volume's kind", volume("hostPath: {path: /a}"), volume("nfs: {server: a, path: /}"), """
                        spec.persistentvolumesource: Forbidden: spec.persistentvolumesource is immutable after creation"""),
                Arguments.of(
                        "a volume's mode",
                        volume("hostPath: {path: /a}"),
                        volume("hostPath: {path: /a}, volumeMode: Block"),
                        "volumeMode: Invalid value: \"Block\": field is immutable"),
                Arguments.of(
                        "a volume's policy",
                        volume("hostPath: {path: /a}"),
                        volume("hostPath: {path: /a}, persistentVolumeReclaimPolicy: Delete"),
                        ""),
                Arguments.of(
                        "a StorageClass",
                        "{apiVersion: storage.k8s.io/v1, kind: StorageClass, metadata: {name: a}, provisioner: a/b}",
                        "{apiVersion: storage.k8s.io/v1, kind: StorageClass, metadata: {name: a}, provisioner: a/c,"
                                + " reclaimPolicy: Retain, parameters: {a: b}, volumeBindingMode: WaitForFirstConsumer}",
                        """
                        parameters: Forbidden: updates to parameters are forbidden.
                        provisioner: Forbidden: updates to provisioner are forbidden.
                        reclaimPolicy: Forbidden: updates to reclaimPolicy are forbidden.
                        volumeBindingMode: Invalid value: "WaitForFirstConsumer": field is immutable"""),
                Arguments.of("a binding's role", binding("RoleBinding", "a"), binding("RoleBinding", "b"), """
                        roleRef: Invalid value: {"kind":"Role","name":"b","apiGroup":"rbac.authorization.k8s.io"}: cannot change roleRef"""),
                Arguments.of(
                        "a binding's role in the cluster",
                        binding("ClusterRoleBinding", "a"),
                        binding("ClusterRoleBinding", "b"),
                        """
                        roleRef: Invalid value: {"kind":"Role","name":"b","apiGroup":"rbac.authorization.k8s.io"}: cannot change roleRef"""),
                Arguments.of("a claim's size", claim("", "1Gi"), claim("", "2Gi"), CLAIM_STAYS),
                Arguments.of("a claim's class", claim("a", "1Gi"), claim("b", "1Gi"), CLAIM_STAYS),
                Arguments.of("a claim's volume", claim("a", "1Gi"), claim("a, volumeName: v", "1Gi"), ""),
                Arguments.of(
                        "a claim's other volume", claim("a, volumeName: v", "1Gi"), claim("a", "1Gi"), CLAIM_STAYS),
                Arguments.of(
                        "an immutable ConfigMap",
                        "{apiVersion: v1, kind: ConfigMap, metadata: {name: a}, immutable: true, data: {a: b}}",
                        "{apiVersion: v1, kind: ConfigMap, metadata: {name: a}, immutable: true, data: {a: c}}",
                        "data: Forbidden: field is immutable when `immutable` is set"));
    }

    private static String volume(String fields) {
        return "{apiVersion: v1, kind: PersistentVolume, metadata: {name: a}, spec: {accessModes: [ReadWriteOnce],"
                + " capacity: {storage: 1Gi}, " + fields + "}}";
    }

    private static String binding(String kind, String role) {
        return "{apiVersion: rbac.authorization.k8s.io/v1, kind: " + kind
                + ", metadata: {name: a}, roleRef: {kind: Role, name: " + role + "}}";
    }

    @ParameterizedTest
    @CsvSource({
        "a.example/one, a.example/one a.example/two a.example/3," + " '[]string{\"a.example/3\", \"a.example/two\"}'",
        "a.example/one, a.example/one,",
        "a.example/one a.example/two, a.example/two,"
    })
    void anObjectThatIsBeingDeletedGetsNoNewFinalizer(String before, String after, String news) {
        RuledCluster cluster = new RuledCluster();
        ObjectNode map = cluster.create("{apiVersion: v1, kind: ConfigMap, metadata: {name: a, finalizers: ["
                + before.replace(' ', ',') + "]}}");
        ObjectNode marked = cluster.api().delete(Resources.CONFIG_MAPS, ObjectKey.of(map), Deletion.DEFAULT);
        ArrayNode finalizers = marked.deepCopy().withObjectProperty("metadata").putArray("finalizers");
        for (String each : after.split(" ", -1)) {
            finalizers.add(each);
        }
        assertThat(RuledCluster.complaints(() -> cluster.api()
                        .modify(Resources.CONFIG_MAPS, ObjectKey.of(map), "", copy -> {
                            copy.withObjectProperty("metadata").set("finalizers", finalizers);
                            return copy;
                        })))
                .isEqualTo(
                        news == null
                                ? ""
                                : "metadata.finalizers: Forbidden: no new finalizers can be added if the object is being"
                                        + " deleted, found new finalizers " + news);
    }

    private static String claim(String storageClass, String size) {
        return """
                apiVersion: v1
                kind: PersistentVolumeClaim
                metadata: {name: a}
                spec:
                  storageClassName: %s
                  accessModes: [ReadWriteOnce]
                  resources: {requests: {storage: %s}}
                """.formatted(storageClass.isEmpty() ? "''" : storageClass, size).replace(", v", "\n  v");
    }

    /** The controller binds a claim, here to a larger volume; then it may grow. */
    @Test
    void aBoundClaimMayGrow() {
        RuledCluster cluster = new RuledCluster();
        ObjectNode storage = cluster.create("{apiVersion: storage.k8s.io/v1, kind: StorageClass, metadata: {name: a},"
                + " provisioner: a/b, allowVolumeExpansion: true}");
        ObjectNode claim = cluster.create(claim("a, volumeName: v", "1Gi"));
        claim.withObjectProperty("status")
                .put("phase", "Bound")
                .withObjectProperty("capacity")
                .put("storage", "10Gi");
        ObjectNode bound =
                cluster.api().modify(Resources.PERSISTENT_VOLUME_CLAIMS, ObjectKey.of(claim), "status", copy -> claim);
        assertThat(RuledCluster.complaints(() -> update(cluster, bound, "2Gi"))).isEmpty();
        ObjectNode labelled = cluster.api()
                .modify(Resources.PERSISTENT_VOLUME_CLAIMS, ObjectKey.of(bound), "", copy -> {
                    copy.withObjectProperty("metadata")
                            .withObjectProperty("labels")
                            .put("a", "b");
                    return copy;
                });
        assertThat(labelled.path("metadata").path("labels").path("a").asText()).isEqualTo("b");
        assertThat(RuledCluster.complaints(() -> update(cluster, bound, "500Mi")))
                .isEqualTo("spec.resources.requests.storage: Forbidden: field can not be less than status.capacity");
        cluster.api().update(Resources.STORAGE_CLASSES, storage.deepCopy().put("allowVolumeExpansion", false));
        assertThat(RuledCluster.complaints(() -> update(cluster, bound, "2Gi"))).isEmpty();
        assertThat(RuledCluster.complaints(() -> update(cluster, bound, "3Gi")))
                .isEqualTo("403 persistentvolumeclaims \"a\" is forbidden: only dynamically provisioned pvc can be"
                        + " resized and the storageclass that provisions the pvc must support resize");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "approval | [] | [{type: Approved, status: 'True'}] |",
                "approval | [] | [{type: Denied, status: 'True'}] |",
                "approval | [{type: Approved, status: 'True'}] | [{type: Approved, status: 'True'}, {type: Failed, status: 'True'}] |",
                "approval | [{type: Approved, status: 'True'}] | [{type: Approved, status: 'True'}, {type: Denied, status: 'True'}] |"
                        + " status.conditions[1].type: Invalid value: \"Denied\": Approved and Denied conditions are mutually exclusive",
                "approval | [{type: Denied, status: 'True'}] | [{type: Denied, status: 'True'}, {type: Approved, status: 'True'}] |"
                        + " status.conditions[1].type: Invalid value: \"Approved\": Approved and Denied conditions are mutually exclusive",
                "approval | [{type: Approved, status: 'True'}] | [] |"
                        + " status.conditions: Forbidden: updates may not remove a condition of type \"Approved\"",
                "approval | [] | [{type: Approved, status: 'False'}] |"
                        + " status.conditions[0].status: Unsupported value: \"False\": supported values: \"True\"",
                "approval | [] | [{type: Approved}] | status.conditions[0].status: Required value",
                "approval | [] | [{type: A, status: 'True'}, {type: A, status: 'True'}] |"
                        + " status.conditions[1].type: Duplicate value: \"A\"",
                "status | [] | [{type: Failed, status: 'True'}] |",
                "status | [] | [{type: Approved, status: 'True'}] |"
                        + " status.conditions: Forbidden: updates may not add a condition of type \"Approved\"",
            })
    void aCertificateIsApprovedOrDeniedOnce(String subresource, String before, String after, String expected) {
        RuledCluster cluster = new RuledCluster();
        ObjectNode request = cluster.create("{apiVersion: certificates.k8s.io/v1, kind: CertificateSigningRequest,"
                + " metadata: {name: a}, spec: {request: YQ==, signerName: a.example/b, usages: [client auth]}}");
        decide(cluster, request, "approval", before);
        String complaints = RuledCluster.complaints(() -> decide(cluster, request, subresource, after));
        assertThat(complaints).isEqualTo(expected == null ? "" : expected);
        ObjectNode stored = cluster.api().get(Resources.CERTIFICATE_REQUESTS, ObjectKey.of(request));
        assertThat(stored.path("status").path("conditions"))
                .hasSize(RuledCluster.yaml("a: " + (expected == null ? after : before))
                        .path("a")
                        .size());
        assertThat(stored.path("spec")).isEqualTo(request.path("spec"));
    }

    private static void decide(RuledCluster cluster, ObjectNode request, String subresource, String conditions) {
        cluster.api().modify(Resources.CERTIFICATE_REQUESTS, ObjectKey.of(request), subresource, copy -> {
            copy.withObjectProperty("status")
                    .set("conditions", RuledCluster.yaml("a: " + conditions).path("a"));
            copy.withObjectProperty("spec").put("username", "x");
            return copy;
        });
    }

    private static void update(RuledCluster cluster, ObjectNode claim, String size) {
        ObjectNode changed = claim.deepCopy();
        changed.withObjectProperty("metadata").remove("resourceVersion");
        changed.withObjectProperty("spec")
                .withObjectProperty("resources")
                .withObjectProperty("requests")
                .put("storage", size);
        cluster.api().update(Resources.PERSISTENT_VOLUME_CLAIMS, changed);
    }

    private static String statefulSet(String service) {
        return """
                apiVersion: apps/v1
                kind: StatefulSet
                metadata: {name: a}
                spec:
                  serviceName: %s
                  selector: {matchLabels: {app: a}}
                  template: {metadata: {labels: {app: a}}, spec: {containers: [{name: a, image: a}]}}
                """.formatted(service);
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("changes")
    void changes(String name, String before, String after, String expected) {
        RuledCluster cluster = new RuledCluster();
        cluster.create(before);
        ObjectNode object = RuledCluster.yaml(after);
        if (RuledCluster.resource(object).namespaced()) {
            object.withObjectProperty("metadata").put("namespace", "default");
        }
        assertThat(RuledCluster.complaints(() -> cluster.api().update(RuledCluster.resource(object), object)))
                .isEqualTo(expected);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "maxSurge: 1, maxUnavailable: 0 |",
                "maxSurge: 0, maxUnavailable: 10% |",
                "maxUnavailable: 2 |",
                "maxSurge: 1 | maxSurge: Invalid value: 1: may not be set when maxUnavailable is non-zero",
                "maxSurge: 1%, maxUnavailable: 1 | maxSurge: Invalid value: \"1%\": may not be set when maxUnavailable"
                        + " is non-zero",
                "maxSurge: 0%, maxUnavailable: 0 | maxUnavailable: Required value: cannot be 0 when maxSurge is 0",
                "maxSurge: 101%, maxUnavailable: 0 | maxSurge: Invalid value: \"101%\": must not be greater than 100%"
            })
    void aDaemonSetSurgesOrDeletesFirst(String limits, String problem) {
        assertThat(RuledCluster.complaints(() -> new RuledCluster().create("""
                        apiVersion: apps/v1
                        kind: DaemonSet
                        metadata: {name: a}
                        spec:
                          selector: {matchLabels: {app: a}}
                          updateStrategy: {rollingUpdate: {%s}}
                          template: {metadata: {labels: {app: a}}, spec: {containers: [{name: a, image: a}]}}
                        """.formatted(limits))))
                .isEqualTo(problem == null ? "" : "spec.updateStrategy.rollingUpdate." + problem);
    }

    /** Charts name them after users and groups. */
    @ParameterizedTest
    @CsvSource({
        "system:node:x,",
        "Admin_x@example.com,",
        "a/b, may not contain '/'",
        "a%b, may not contain '%'",
        "'..', may not be '..'"
    })
    void namesOfRolesArePartsOfPaths(String name, String problem) {
        String problems = RuledCluster.complaints(() -> new RuledCluster()
                .create("{apiVersion: rbac.authorization.k8s.io/v1, kind: ClusterRole, metadata: {name: '" + name
                        + "'}, rules: []}"));
        assertThat(problems)
                .isEqualTo(problem == null ? "" : "metadata.name: Invalid value: \"" + name + "\": " + problem);
    }
}
