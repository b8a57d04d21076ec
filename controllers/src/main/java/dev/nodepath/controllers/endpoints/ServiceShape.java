package dev.nodepath.controllers.endpoints;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.ArrayList;
import java.util.List;

/** Reads the fields of a Service that decide about its endpoints. */
final class ServiceShape {
    private ServiceShape() {}

    /** Whether the cluster finds the Service's endpoints: it has a selector and is no alias of an external name. */
    static boolean selects(JsonNode service) {
        return !service.path("spec").path("selector").isEmpty()
                && !service.path("spec").path("type").asText("").equals("ExternalName");
    }

    /** Whether the Service has no address of its own. */
    static boolean isHeadless(JsonNode service) {
        return service.path("spec").path("clusterIP").asText("").equals("None");
    }

    /** The address types of the Service's slices, its first family first. */
    static List<String> addressTypes(JsonNode service) {
        List<String> types = new ArrayList<>();
        service.path("spec").path("ipFamilies").forEach(each -> types.add(each.asText()));
        if (types.isEmpty()) {
            service.path("spec").path("clusterIPs").forEach(each -> add(each.asText(), types));
        }
        if (types.isEmpty()) {
            add(service.path("spec").path("clusterIP").asText(""), types);
        }
        return types.isEmpty() ? List.of("IPv4") : types;
    }

    static String addressType(String address) {
        return address.indexOf(':') >= 0 ? "IPv6" : "IPv4";
    }

    private static void add(String address, List<String> types) {
        if (!address.isEmpty() && !address.equals("None")) {
            types.add(addressType(address));
        }
    }
}
