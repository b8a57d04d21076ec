package dev.nodepath.cni;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * Refuses options of upstream's bridge and host-local plugins that are not built yet: an option that is passed over in
 * silence would leave a container without what its configuration promises.
 */
final class UnsupportedOptions {
    private static final List<String> BRIDGE = List.of(
            "forceAddress",
            "ipMasq",
            "promiscMode",
            "vlan",
            "vlanTrunk",
            "macspoofchk",
            "portIsolation",
            "enabledad",
            "disableContainerInterface",
            "mac");

    private static final List<String> ROUTE = List.of("mtu", "advmss", "priority", "table", "scope");

    /** How a value that changes nothing looks in a message: {@link JsonObject#shown}. */
    private static final Set<String> DEFAULTS = Set.of("false", "0", "\"\"", "[]", "{}");

    private UnsupportedOptions() {}

    /**
     * Checks that no such option is set to anything but its default.
     *
     * @throws CniException code 2, naming key and value
     */
    static void refuse(JsonObject config, Map<String, String> args) throws CniException {
        refuse(config, BRIDGE);
        Optional<JsonObject> ipam = config.object("ipam");
        if (ipam.isPresent()) {
            refuse(ipam.get(), List.of("resolvConf"));
            for (JsonObject route : ipam.get().objects("routes")) {
                refuse(route, ROUTE);
            }
        }
        Optional<JsonObject> runtimeConfig = config.object("runtimeConfig");
        if (runtimeConfig.isPresent()) {
            refuse(runtimeConfig.get(), List.of("mac", "ips", "ipRanges"));
        }
        Optional<JsonObject> argsConfig = config.object("args");
        Optional<JsonObject> cniArgs = argsConfig.isPresent() ? argsConfig.get().object("cni") : Optional.empty();
        if (cniArgs.isPresent()) {
            refuse(cniArgs.get(), List.of("mac", "ips"));
        }
        for (String key : List.of("MAC", "IP", "GATEWAY")) {
            if (!args.getOrDefault(key, "").isEmpty()) {
                throw unsupported("CNI_ARGS: " + key + "=" + args.get(key));
            }
        }
    }

    private static void refuse(JsonObject object, List<String> keys) throws CniException {
        for (String key : keys) {
            String shown = object.shown(key).orElse("false");
            if (!DEFAULTS.contains(shown)) {
                throw unsupported(object.pathOf(key) + ": " + shown);
            }
        }
    }

    private static CniException unsupported(String keyAndValue) {
        return new CniException(ErrorCode.UNSUPPORTED_FIELD, "unsupported field " + keyAndValue);
    }
}
