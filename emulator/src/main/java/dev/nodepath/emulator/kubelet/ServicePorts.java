package dev.nodepath.emulator.kubelet;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.nodepath.apiserver.resource.SelectorMatch;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.Set;

/** The ports of a Pod to which Services lead. */
final class ServicePorts {
    private ServicePorts() {}

    /** The numeric TCP target ports of the Services that select the Pod. */
    static Set<Integer> of(Collection<ObjectNode> services, ObjectNode pod) {
        Set<Integer> ports = new LinkedHashSet<>();
        services.stream().filter(service -> SelectorMatch.selects(service, pod)).forEach(service -> {
            for (JsonNode port : service.path("spec").path("ports")) {
                JsonNode target = port.path("targetPort");
                if (port.path("protocol").asText("TCP").equals("TCP") && !target.isTextual()) {
                    ports.add(target.asInt(port.path("port").asInt()));
                }
            }
        });
        return ports;
    }
}
