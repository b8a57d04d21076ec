package dev.nodepath.bench.policy;

import dev.nodepath.bench.testbed.ApiObject;
import dev.nodepath.bench.testbed.ContenderNode;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The objects of a cluster with policies. A namespace has ten applications with equally many pods, and each
 * application has a policy: the next application of its namespace may use its port, and the namespaces of its team may
 * use all ports. The measured client and server are in a namespace without such policies.
 */
final class PolicedCluster {
    /** The pods on the measured node: the default limit of a kubelet. */
    static final int LOCAL = 110;

    /** The namespace of the measured pods. */
    static final String NAMESPACE = "default";

    private static final int APPLICATIONS = 10;
    private static final int TEAMS = 5;

    /** The label of the client that a policy asks for. */
    private static final String ROLE = "role";

    private PolicedCluster() {}

    /** The numbers of pods and policies, besides the measured ones. */
    record Size(int pods, int policies) {
        int namespaces() {
            return policies / APPLICATIONS;
        }

        @Override
        public String toString() {
            return pods + " pods, " + policies + " policies";
        }
    }

    /** Namespaces and pods. Pods of the measured node have no link, because no client sends to them. */
    static List<ApiObject> pods(Size size) {
        List<ApiObject> objects = new ArrayList<>();
        for (int i = 0; i < size.namespaces(); i++) {
            objects.add(ApiObject.namespace(namespace(i), Map.of("team", "team-" + i % TEAMS)));
        }
        for (int i = 0; i < size.pods(); i++) {
            int application = i / size.namespaces() % APPLICATIONS;
            boolean local = i < LOCAL;
            objects.add(ApiObject.pod(
                    namespace(i % size.namespaces()),
                    "app-" + application + "-" + i,
                    local ? ContenderNode.NODE_NAME : "n" + (2 + i % 99),
                    Optional.of(local ? "10.244.0." + (120 + i) : "10.245." + (i >> 8) + "." + (i & 255)),
                    Map.of("app", "app-" + application, "pod-template-hash", "7d4b9c" + application, "tier", "web")));
        }
        return objects;
    }

    /** The policies of all applications. */
    static List<ApiObject> policies(Size size) {
        List<ApiObject> policies = new ArrayList<>();
        for (int i = 0; i < size.policies(); i++) {
            int application = i / size.namespaces() % APPLICATIONS;
            policies.add(
                    ApiObject.networkPolicy(namespace(i % size.namespaces()), "allow-app-" + application, """
                    {"podSelector": {"matchLabels": {"app": "app-%d"}}, "policyTypes": ["Ingress"],
                     "ingress": [
                       {"from": [{"podSelector": {"matchLabels": {"app": "app-%d"}}}],
                        "ports": [{"protocol": "TCP", "port": 8080}]},
                       {"from": [{"namespaceSelector": {"matchLabels": {"team": "team-%d"}}}]}]}
                    """.formatted(
                                    application, (application + 1) % APPLICATIONS, i % TEAMS)));
        }
        return policies;
    }

    private static String namespace(int number) {
        return "ns-" + number;
    }

    /** The client, which a policy of the server allows or not. */
    static ApiObject client(boolean allowed) {
        return ApiObject.pod(
                NAMESPACE,
                "client",
                ContenderNode.NODE_NAME,
                Optional.of(ContenderNode.CLIENT),
                Map.of(ROLE, allowed ? "friend" : "stranger"));
    }

    static ApiObject server() {
        return ApiObject.pod(
                NAMESPACE,
                "server",
                ContenderNode.NODE_NAME,
                Optional.of(ContenderNode.SERVER),
                Map.of("app", "server"));
    }

    /** A policy by which the server gets packets of no pod. */
    static ApiObject refusal(String name) {
        return ofServer(name, "");
    }

    /** A policy by which the server gets packets of a client that is allowed. */
    static ApiObject allowance(String name) {
        return ofServer(name, "{\"from\": [{\"podSelector\": {\"matchLabels\": {\"" + ROLE + "\": \"friend\"}}}]}");
    }

    private static ApiObject ofServer(String name, String rule) {
        return ApiObject.networkPolicy(NAMESPACE, name, """
                {"podSelector": {"matchLabels": {"app": "server"}}, "policyTypes": ["Ingress"], "ingress": [%s]}
                """.formatted(rule));
    }
}
