package dev.nodepath.cni.config;

import dev.nodepath.cni.json.JsonObject;
import dev.nodepath.cni.protocol.CniEnvironment;
import dev.nodepath.cni.protocol.CniException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * Reads what DEL and GC need of a configuration, which is little. Runtimes may give them the configuration of today, edited
 * since the ADD: what is wrong in it must not keep a link or an address, so it counts as not given.
 */
public final class RemovalConfigParser {
    private RemovalConfigParser() {}

    /**
     * The configuration with nothing in it that only an ADD needs.
     *
     * @throws CniException code 1 or 7 if the version or the network's name cannot be told
     */
    public static NetworkConfig parse(JsonObject json) throws CniException {
        Optional<String> bridge = readable(() -> json.string("bridge")).filter(CniEnvironment::isInterfaceName);
        boolean prune = readable(() -> Optional.of(json.bool("prune"))).orElse(false);
        // One that cannot be read must not cost the bridge of the default name, which may be another network's.
        boolean bridgeKnown = bridge.isPresent() || json.shown("bridge").isEmpty();
        return new NetworkConfig(
                NetworkConfigParser.version(json),
                NetworkConfigParser.name(json),
                NetworkConfig.BridgeConfig.of(bridge.orElse(NetworkConfigParser.BRIDGE_DEFAULT), prune && bridgeKnown),
                NetworkConfig.PortConfig.PLAIN,
                ipamType(json),
                Optional.empty());
    }

    /** An unreadable section is most likely that of host-local, with its addresses where they are unless told otherwise. */
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

    /** Where addresses may be kept: in the folder that the configuration names, and where they are without one. */
    public static List<Path> dataDirs(JsonObject json, Path dataDirDefault) {
        List<Path> dataDirs = new ArrayList<>();
        Path given = dataDir(json, dataDirDefault);
        dataDirs.add(given);
        if (!given.equals(dataDirDefault)) {
            dataDirs.add(dataDirDefault);
        }
        return dataDirs;
    }

    /** The folder that the configuration names, or the one without. */
    public static Path dataDir(JsonObject json, Path dataDirDefault) {
        return ipam(json).isEmpty()
                ? dataDirDefault
                : readable(() -> Optional.of(IpamConfigParser.dataDir(json, dataDirDefault)))
                        .orElse(dataDirDefault);
    }

    private static Optional<JsonObject> ipam(JsonObject json) {
        return readable(() -> json.object("ipam"));
    }

    /** A field of a configuration. */
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
