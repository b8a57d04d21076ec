package dev.nodepath.bench.testbed;

import java.util.List;
import java.util.StringJoiner;

/**
 * An object as an {@link BenchApiServer} serves it.
 *
 * @param kind what it is
 * @param namespace empty for a Node
 * @param name of the object
 * @param labels of its metadata, as a JSON object
 * @param rest the other members of the JSON object, such as spec and status
 */
public record ApiObject(Kind kind, String namespace, String name, String labels, String rest) {
    /** The label with the name of a slice's Service. */
    private static final String SERVICE_NAME = "kubernetes.io/service-name";

    /** The kinds that a proxy follows. */
    public enum Kind {
        /** v1 Service. */
        SERVICE("/api/v1/services", "Service", "v1"),
        /** discovery.k8s.io/v1 EndpointSlice. */
        SLICE("/apis/discovery.k8s.io/v1/endpointslices", "EndpointSlice", "discovery.k8s.io/v1"),
        /** v1 Node. */
        NODE("/api/v1/nodes", "Node", "v1"),
        /** networking.k8s.io/v1 ServiceCIDR, of which there are none here; kube-proxy follows them since 1.33. */
        SERVICE_CIDR("/apis/networking.k8s.io/v1/servicecidrs", "ServiceCIDR", "networking.k8s.io/v1");

        private final String path;
        private final String name;
        private final String version;

        Kind(String path, String name, String version) {
            this.path = path;
            this.name = name;
            this.version = version;
        }

        String path() {
            return path;
        }

        String objectName() {
            return name;
        }

        String version() {
            return version;
        }
    }

    /**
     * A port of a Service, and of its endpoints.
     *
     * @param name of the port
     * @param protocol TCP or UDP
     * @param port of the Service
     * @param target of the endpoints
     */
    public record Port(String name, String protocol, int port, int target) {}

    /** A Service of type ClusterIP in the namespace {@code default}. */
    public static ApiObject service(String name, String clusterIp, List<Port> ports) {
        StringJoiner list = new StringJoiner(",");
        for (Port port : ports) {
            list.add("{\"name\":\"%s\",\"protocol\":\"%s\",\"port\":%d,\"targetPort\":%d}"
                    .formatted(port.name(), port.protocol(), port.port(), port.target()));
        }
        return new ApiObject(Kind.SERVICE, "default", name, "{}", """
                "spec":{"type":"ClusterIP","clusterIP":"%1$s","clusterIPs":["%1$s"],"ipFamilies":["IPv4"],\
                "ipFamilyPolicy":"SingleStack","sessionAffinity":"None","internalTrafficPolicy":"Cluster",\
                "ports":[%2$s]},"status":{"loadBalancer":{}}""".formatted(clusterIp, list));
    }

    /**
     * The one slice of a Service.
     *
     * @param ready addresses that take connections
     * @param unready addresses that do not
     */
    public static ApiObject slice(String service, List<String> ready, List<String> unready, List<Port> ports) {
        StringJoiner endpoints = new StringJoiner(",");
        ready.forEach(address -> endpoints.add(endpoint(address, true)));
        unready.forEach(address -> endpoints.add(endpoint(address, false)));
        StringJoiner list = new StringJoiner(",");
        for (Port port : ports) {
            list.add("{\"name\":\"%s\",\"protocol\":\"%s\",\"port\":%d}"
                    .formatted(port.name(), port.protocol(), port.target()));
        }
        return new ApiObject(
                Kind.SLICE,
                "default",
                service + "-1",
                "{\"" + SERVICE_NAME + "\":\"" + service + "\"}",
                "\"addressType\":\"IPv4\",\"endpoints\":[" + endpoints + "],\"ports\":[" + list + "]");
    }

    /** A Node with this internal address. */
    public static ApiObject node(String name, String address) {
        return new ApiObject(
                Kind.NODE, "", name, "{\"kubernetes.io/hostname\":\"" + name + "\"}", """
                "spec":{"podCIDR":"10.244.0.0/24","podCIDRs":["10.244.0.0/24"]},\
                "status":{"addresses":[{"type":"InternalIP","address":"%s"},{"type":"Hostname","address":"%s"}]}""".formatted(address, name));
    }

    String key() {
        return namespace + "/" + name;
    }

    /** The whole object as one line of JSON. */
    String json(long resourceVersion) {
        return "{\"kind\":\"" + kind.objectName() + "\",\"apiVersion\":\"" + kind.version() + "\",\"metadata\":{"
                + (namespace.isEmpty() ? "" : "\"namespace\":\"" + namespace + "\",")
                + "\"name\":\"" + name + "\",\"uid\":\"" + kind.objectName() + "-" + name + "\",\"resourceVersion\":\""
                + resourceVersion + "\",\"creationTimestamp\":\"2026-11-20T00:00:00Z\",\"labels\":" + labels + "},"
                + rest + "}";
    }

    private static String endpoint(String address, boolean ready) {
        return "{\"addresses\":[\"%s\"],\"conditions\":{\"ready\":%2$b,\"serving\":%2$b,\"terminating\":false},\"nodeName\":\"%3$s\"}"
                .formatted(address, ready, ContenderNode.NODE_NAME);
    }
}
