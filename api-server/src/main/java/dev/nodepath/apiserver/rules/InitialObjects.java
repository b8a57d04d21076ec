package dev.nodepath.apiserver.rules;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.nodepath.apiserver.ClusterApi;
import dev.nodepath.apiserver.resource.Resources;
import dev.nodepath.apiserver.validation.Addresses;
import dev.nodepath.linux.address.IpAddress;
import java.util.List;

/**
 * The objects of a new cluster: its namespaces with their ServiceAccounts, its Service addresses, and the Service of
 * its API server.
 *
 * @param serviceCidrs ranges of ClusterIPs: one, or one of each family with the default family first
 * @param apiAddress where pods reach the API server
 * @param apiPort of the API server
 */
public record InitialObjects(List<String> serviceCidrs, String apiAddress, int apiPort) {
    private static final List<String> NAMESPACES = List.of("default", "kube-system", "kube-public", "kube-node-lease");
    private static final String NAME = "kubernetes";

    public InitialObjects {
        serviceCidrs = List.copyOf(serviceCidrs);
    }

    /** Creates the objects in an empty cluster. */
    public void create(ClusterApi api) {
        for (String namespace : NAMESPACES) {
            api.create(Resources.NAMESPACES, object("", namespace));
            api.create(Resources.SERVICE_ACCOUNTS, object(namespace, "default"));
        }
        api.create(Resources.SERVICE_CIDRS, serviceCidr());
        api.create(Resources.SERVICES, service());
        api.create(Resources.ENDPOINTS, endpoints());
        api.create(Resources.ENDPOINT_SLICES, endpointSlice());
    }

    private ObjectNode serviceCidr() {
        ObjectNode object = object("", NAME);
        serviceCidrs.forEach(object.putObject("spec").putArray("cidrs")::add);
        return object;
    }

    /** It has the first address of the range. */
    private ObjectNode service() {
        IpAddress first = Addresses.parseNetwork(serviceCidrs.get(0))
                .orElseThrow(() -> new IllegalArgumentException("no prefix: " + serviceCidrs.get(0)))
                .address()
                .plus(1);
        ObjectNode object = object("default", NAME);
        label(object, "component", "apiserver");
        label(object, "provider", NAME);
        ObjectNode spec = object.putObject("spec").put("clusterIP", first.toString());
        addPort(spec, 443).put("targetPort", apiPort);
        return object;
    }

    private ObjectNode endpoints() {
        ObjectNode object = object("default", NAME);
        label(object, "endpointslice.kubernetes.io/skip-mirror", "true");
        ObjectNode subset = object.putArray("subsets").addObject();
        subset.putArray("addresses").addObject().put("ip", apiAddress);
        addPort(subset, apiPort);
        return object;
    }

    private ObjectNode endpointSlice() {
        ObjectNode object = object("default", NAME);
        label(object, "kubernetes.io/service-name", NAME);
        object.put("addressType", apiAddress.contains(":") ? "IPv6" : "IPv4");
        ObjectNode endpoint = object.putArray("endpoints").addObject();
        endpoint.putArray("addresses").add(apiAddress);
        endpoint.putObject("conditions").put("ready", true);
        addPort(object, apiPort);
        return object;
    }

    private static ObjectNode addPort(ObjectNode object, int number) {
        return object.putArray("ports")
                .addObject()
                .put("name", "https")
                .put("port", number)
                .put("protocol", "TCP");
    }

    private static void label(ObjectNode object, String key, String value) {
        object.withObjectProperty("metadata").withObjectProperty("labels").put(key, value);
    }

    private static ObjectNode object(String namespace, String name) {
        ObjectNode object = JsonNodeFactory.instance.objectNode();
        ObjectNode metadata = object.putObject("metadata").put("name", name);
        if (!namespace.isEmpty()) {
            metadata.put("namespace", namespace);
        }
        return object;
    }
}
