package dev.nodepath.cni.config;

import dev.nodepath.cni.protocol.CniException;
import dev.nodepath.cni.protocol.JsonObject;
import dev.nodepath.linux.address.IpAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/**
 * A port of the node that leads to the container: an entry of {@code runtimeConfig.portMappings} (CNI conventions).
 *
 * @param protocol as in the IP header
 * @param hostAddress the node's address; empty for all of them
 */
public record PortMapping(int protocol, Optional<IpAddress> hostAddress, int hostPort, int containerPort) {
    private static final int PORT_MAX = 65_535;
    private static final int MAPPINGS_MAX = 1024;

    /**
     * The port mappings from the runtime. The runtime gives them to plugins with the capability.
     *
     * @throws CniException naming the field, what it was and what was expected
     */
    public static List<PortMapping> of(JsonObject config) throws CniException {
        Optional<JsonObject> runtime = config.object("runtimeConfig");
        List<PortMapping> mappings = new ArrayList<>();
        if (runtime.isEmpty()) {
            return mappings;
        }
        List<JsonObject> entries = runtime.get().objects("portMappings");
        if (entries.size() > MAPPINGS_MAX) {
            throw runtime.get().refusal("portMappings", "at most " + MAPPINGS_MAX);
        }
        for (JsonObject entry : entries) {
            Optional<IpAddress> address =
                    entry.string("hostIP").filter(text -> !text.isEmpty()).isPresent()
                            ? entry.address("hostIP").map(IpAddress::unmapped)
                            : Optional.empty();
            mappings.add(
                    new PortMapping(protocol(entry), address, port(entry, "hostPort"), port(entry, "containerPort")));
        }
        return mappings;
    }

    private static int protocol(JsonObject entry) throws CniException {
        return switch (entry.string("protocol").orElse("tcp").toLowerCase(Locale.ROOT)) {
            case "tcp", "" -> 6;
            case "udp" -> 17;
            case "sctp" -> 132;
            default -> throw entry.refusal("protocol", "tcp, udp or sctp");
        };
    }

    private static int port(JsonObject entry, String key) throws CniException {
        long port = entry.integer(key).orElse(0L);
        if (port < 1 || port > PORT_MAX) {
            throw entry.refusal(key, "1 to " + PORT_MAX);
        }
        return (int) port;
    }
}
