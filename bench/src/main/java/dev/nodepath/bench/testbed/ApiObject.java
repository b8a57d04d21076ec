package dev.nodepath.bench.testbed;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.nodepath.apiserver.request.Json;
import dev.nodepath.apiserver.resource.Resource;
import dev.nodepath.apiserver.resource.Resources;
import java.util.List;

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
     * The one slice of a Service.
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
