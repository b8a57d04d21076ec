package dev.nodepath.image;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.nodepath.linux.address.IpAddress;
import java.util.ArrayList;
import java.util.List;

/** A container runtime's handling of a list of plugins and of their results. */
final class Cni {
    private static final ObjectMapper JSON = new ObjectMapper();

    private Cni() {}

    /** The configuration for the first plugin of a list. */
    static String plugin(String conflist) throws JsonProcessingException {
        JsonNode list = JSON.readTree(conflist);
        ObjectNode plugin = (ObjectNode) list.path("plugins").path(0);
        plugin.set("name", list.path("name"));
        plugin.set("cniVersion", list.path("cniVersion"));
        return plugin.toString();
    }

    /** The addresses in a result, without their prefix lengths. */
    static List<IpAddress> addresses(String result) throws JsonProcessingException {
        List<IpAddress> addresses = new ArrayList<>();
        for (JsonNode ip : JSON.readTree(result).path("ips")) {
            addresses.add(IpAddress.parse(ip.path("address").asText().split("/", 2)[0]));
        }
        return addresses;
    }
}
