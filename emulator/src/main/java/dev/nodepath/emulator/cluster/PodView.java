package dev.nodepath.emulator.cluster;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.nodepath.apiserver.resource.ObjectKey;
import dev.nodepath.controllers.object.PodState;
import dev.nodepath.linux.address.IpAddress;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * A Pod of the API at one moment, as far as checks and the status need it.
 *
 * @param key its namespace and name
 * @param node empty while it has none
 * @param labels of the Pod
 * @param ports of all containers, by name
 * @param addresses one of each family; empty before it has a network
 * @param ready its condition {@code Ready}
 */
public record PodView(
        ObjectKey key,
        String node,
        Map<String, String> labels,
        Map<String, Integer> ports,
        List<IpAddress> addresses,
        boolean ready) {
    public PodView {
        labels = Map.copyOf(labels);
        ports = Map.copyOf(ports);
        addresses = List.copyOf(addresses);
    }

    /** Reads a Pod of the API. */
    public static PodView of(ObjectNode pod) {
        Map<String, Integer> ports = new LinkedHashMap<>();
        for (JsonNode container : pod.path("spec").path("containers")) {
            container
                    .path("ports")
                    .forEach(port -> ports.put(
                            port.path("name").asText(""),
                            port.path("containerPort").asInt()));
        }
        List<IpAddress> addresses = new ArrayList<>();
        pod.path("status")
                .path("podIPs")
                .forEach(each -> addresses.add(IpAddress.parse(each.path("ip").asText())));
        return new PodView(
                ObjectKey.of(pod),
                pod.path("spec").path("nodeName").asText(""),
                texts(pod.path("metadata").path("labels")),
                ports,
                addresses,
                PodState.isReady(pod));
    }

    static Map<String, String> texts(JsonNode object) {
        Map<String, String> texts = new LinkedHashMap<>();
        object.properties()
                .forEach(entry -> texts.put(entry.getKey(), entry.getValue().asText()));
        return texts;
    }

    /** A Pod's name as the commands take it: {@code NAMESPACE/POD}, or {@code POD} in {@code default}. */
    public static String shown(ObjectKey key) {
        return key.namespace().equals("default") ? key.name() : key.toString();
    }

    /** The key of a Pod, from the name that {@link #shown} makes. */
    public static ObjectKey keyOf(String shown) {
        int slash = shown.indexOf('/');
        return new ObjectKey(slash < 0 ? "default" : shown.substring(0, slash), shown.substring(slash + 1));
    }

    /** Its name alone. */
    public String name() {
        return key.name();
    }

    /** Its first address. */
    public IpAddress address() {
        return addresses.get(0);
    }
}
