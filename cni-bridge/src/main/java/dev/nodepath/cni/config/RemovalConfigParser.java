package dev.nodepath.cni.config;

import dev.nodepath.cni.protocol.CniEnvironment;
import dev.nodepath.cni.protocol.CniException;
import dev.nodepath.cni.protocol.JsonObject;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * Parses the few values that DEL and GC need. The configuration may have been edited since the ADD. An invalid value
 * counts as absent, so that it cannot keep a link or an address.
 */
public final class RemovalConfigParser {
    private RemovalConfigParser() {}

    /**
     * The configuration without the values that only an ADD needs.
     *
     * @throws CniException code 1 or 7 if the version or the network's name cannot be read
     */
    public static NetworkConfig parse(JsonObject json) throws CniException {
        Optional<String> bridge = readable(() -> json.string("bridge")).filter(CniEnvironment::isInterfaceName);
        boolean prune = readable(() -> Optional.of(json.bool("prune"))).orElse(false);
        // An unreadable name must not remove the bridge of the default name, which may belong to another network.
        boolean bridgeKnown = bridge.isPresent() || json.shown("bridge").isEmpty();
        return new NetworkConfig(
                NetworkConfigParser.version(json),
                NetworkConfigParser.name(json),
                NetworkConfig.BridgeConfig.of(bridge.orElse(NetworkConfigParser.BRIDGE_DEFAULT), prune && bridgeKnown),
                NetworkConfig.PortConfig.PLAIN,
                ipamType(json),
                Optional.empty(),
                Optional.empty());
    }

    /** An unreadable section probably belongs to host-local, with addresses in the default folder. */
    private static Optional<String> ipamType(JsonObject json) {
        Optional<JsonObject> ipam = ipam(json);
        boolean none = ipam.isPresent()
                ? Set.of("type").containsAll(ipam.get().keys())
                        && ipam.get().shown("type").isEmpty()
                : json.shown("ipam").isEmpty();
        return none
                ? Optional.empty()
                : Optional.of(ipam.flatMap(section -> readable(() -> section.string("type")))
                        .orElse(IpamConfigParser.TYPE));
    }

    /** The folders that may hold addresses: the configured folder and the default folder. */
    public static List<Path> dataDirs(JsonObject json, Path dataDirDefault) {
        List<Path> dataDirs = new ArrayList<>();
        Path given = dataDir(json, dataDirDefault);
        dataDirs.add(given);
        if (!given.equals(dataDirDefault)) {
            dataDirs.add(dataDirDefault);
        }
        return dataDirs;
    }

    /** The configured folder, or the default folder. */
    public static Path dataDir(JsonObject json, Path dataDirDefault) {
        return ipam(json).isEmpty()
                ? dataDirDefault
                : readable(() -> Optional.of(IpamConfigParser.dataDir(json, dataDirDefault)))
                        .orElse(dataDirDefault);
    }

    private static Optional<JsonObject> ipam(JsonObject json) {
        return readable(() -> json.object("ipam"));
    }

    /** Reads a field of a configuration. */
    private interface Field<T> {
        Optional<T> read() throws CniException;
    }

    private static <T> Optional<T> readable(Field<T> field) {
        try {
            return field.read();
        } catch (CniException e) {
            return Optional.empty();
        }
    }
}
