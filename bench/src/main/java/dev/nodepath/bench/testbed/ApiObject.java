package dev.nodepath.bench.testbed;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.nodepath.apiserver.request.Json;
import dev.nodepath.apiserver.resource.Resource;
import dev.nodepath.apiserver.resource.Resources;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * An object of the cluster that a proxy follows.
 *
 * @param resource its kind
 * @param tree its JSON; the server's from the moment on that it gets it
 */
public record ApiObject(Resource resource, ObjectNode tree) {
    /** The label with the name of a slice's Service. */
    private static final String SERVICE_NAME = "kubernetes.io/service-name";

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
        ObjectNode tree = named(name);
        ObjectNode spec = tree.putObject("spec")
                .put("type", "ClusterIP")
                .put("clusterIP", clusterIp)
                .put("ipFamilyPolicy", "SingleStack")
                .put("sessionAffinity", "None")
                .put("internalTrafficPolicy", "Cluster");
        spec.putArray("clusterIPs").add(clusterIp);
        spec.putArray("ipFamilies").add("IPv4");
        ArrayNode list = spec.putArray("ports");
        for (Port port : ports) {
            list.addObject()
                    .put("name", port.name())
                    .put("protocol", port.protocol())
                    .put("port", port.port())
                    .put("targetPort", port.target());
        }
        tree.putObject("status").putObject("loadBalancer");
        return new ApiObject(Resources.SERVICES, tree);
    }

    /**
     * The only slice of a Service.
     *
     * @param ready addresses that take connections
     * @param unready addresses that do not
     */
    public static ApiObject slice(String service, List<String> ready, List<String> unready, List<Port> ports) {
        ObjectNode tree = named(service + "-1");
        tree.withObjectProperty("metadata").putObject("labels").put(SERVICE_NAME, service);
        tree.put("addressType", "IPv4");
        ArrayNode endpoints = tree.putArray("endpoints");
        ready.forEach(address -> addEndpoint(endpoints, address, true));
        unready.forEach(address -> addEndpoint(endpoints, address, false));
        ArrayNode list = tree.putArray("ports");
        for (Port port : ports) {
            list.addObject()
                    .put("name", port.name())
                    .put("protocol", port.protocol())
                    .put("port", port.target());
        }
        return new ApiObject(Resources.ENDPOINT_SLICES, tree);
    }

    /** The Endpoints of a Service with one ready address, for kube-proxy's userspace mode. */
    static ApiObject endpoints(String service, String address, List<Port> ports) {
        ObjectNode tree = named(service);
        ObjectNode subset = tree.putArray("subsets").addObject();
        subset.putArray("addresses").addObject().put("ip", address);
        ArrayNode list = subset.putArray("ports");
        for (Port port : ports) {
            list.addObject()
                    .put("name", port.name())
                    .put("protocol", port.protocol())
                    .put("port", port.target());
        }
        return new ApiObject(Resources.ENDPOINTS, tree);
    }

    /** A Node with this internal address. */
    public static ApiObject node(String name, String address) {
        ObjectNode tree = Json.MAPPER.createObjectNode();
        tree.putObject("metadata").put("name", name).putObject("labels").put("kubernetes.io/hostname", name);
        tree.putObject("spec")
                .put("podCIDR", "10.244.0.0/24")
                .putArray("podCIDRs")
                .add("10.244.0.0/24");
        ArrayNode addresses = tree.putObject("status").putArray("addresses");
        addresses.addObject().put("type", "InternalIP").put("address", address);
        addresses.addObject().put("type", "Hostname").put("address", name);
        return new ApiObject(Resources.NODES, tree);
    }

    /** A Namespace with these labels. */
    public static ApiObject namespace(String name, Map<String, String> labels) {
        ObjectNode tree = Json.MAPPER.createObjectNode();
        label(tree.putObject("metadata").put("name", name), labels);
        return new ApiObject(Resources.NAMESPACES, tree);
    }

    /**
     * A Pod with one container, and the usual fields of kubelet and deployment.
     *
     * @param node the name of its Node
     * @param address its only one; empty if it has none yet
     */
    public static ApiObject pod(
            String namespace, String name, String node, Optional<String> address, Map<String, String> labels) {
        ObjectNode tree = Json.MAPPER.createObjectNode();
        ObjectNode metadata =
                tree.putObject("metadata").put("namespace", namespace).put("name", name);
        label(metadata, labels);
        metadata.putArray("ownerReferences")
                .addObject()
                .put("apiVersion", "apps/v1")
                .put("kind", "ReplicaSet")
                .put("name", name.replaceAll("-[^-]*$", ""));
        ObjectNode spec = tree.putObject("spec").put("nodeName", node).put("restartPolicy", "Always");
        ObjectNode container = spec.putArray("containers")
                .addObject()
                .put("name", "web")
                .put("image", "registry.example.org/shop/web:1.27.3");
        container.putArray("ports").addObject().put("name", "http").put("containerPort", 8080);
        for (String variable : List.of("LOG_LEVEL", "DATABASE_URL", "CACHE_URL", "POD_NAME")) {
            container
                    .withArrayProperty("env")
                    .addObject()
                    .put("name", variable)
                    .put("value", "the value of a variable");
        }
        spec.putArray("volumes").addObject().put("name", "kube-api-access").putObject("projected");
        ObjectNode status = tree.putObject("status").put("phase", address.isPresent() ? "Running" : "Pending");
        for (String condition : List.of("PodScheduled", "Initialized", "ContainersReady", "Ready")) {
            status.withArrayProperty("conditions")
                    .addObject()
                    .put("type", condition)
                    .put("status", "True")
                    .put("lastTransitionTime", "2026-01-01T00:00:00Z");
        }
        address.ifPresent(ip -> {
            status.put("podIP", ip);
            status.putArray("podIPs").addObject().put("ip", ip);
        });
        return new ApiObject(Resources.PODS, tree);
    }

    /** A NetworkPolicy, its spec given as JSON. */
    public static ApiObject networkPolicy(String namespace, String name, String spec) {
        ObjectNode tree = Json.MAPPER.createObjectNode();
        tree.putObject("metadata").put("namespace", namespace).put("name", name);
        try {
            tree.set("spec", Json.MAPPER.readTree(spec));
        } catch (JsonProcessingException e) {
            throw new IllegalArgumentException(spec, e);
        }
        return new ApiObject(Resources.NETWORK_POLICIES, tree);
    }

    private static void label(ObjectNode metadata, Map<String, String> labels) {
        ObjectNode written = metadata.putObject("labels");
        labels.forEach(written::put);
    }

    private static ObjectNode named(String name) {
        ObjectNode tree = Json.MAPPER.createObjectNode();
        tree.putObject("metadata").put("namespace", BenchApiServer.NAMESPACE).put("name", name);
        return tree;
    }

    private static void addEndpoint(ArrayNode endpoints, String address, boolean ready) {
        ObjectNode endpoint = endpoints.addObject().put("nodeName", ContenderNode.NODE_NAME);
        endpoint.putArray("addresses").add(address);
        endpoint.putObject("conditions")
                .put("ready", ready)
                .put("serving", ready)
                .put("terminating", false);
    }
}
