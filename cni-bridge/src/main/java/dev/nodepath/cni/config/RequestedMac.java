package dev.nodepath.cni.config;

import dev.nodepath.cni.protocol.CniException;
import dev.nodepath.cni.protocol.ErrorCode;
import dev.nodepath.cni.protocol.JsonObject;
import dev.nodepath.linux.address.MacAddress;
import java.util.Map;
import java.util.Optional;

/** The hardware address that a container asks for. */
public final class RequestedMac {
    private static final int GROUP_BIT = 1;

    /** The other 48-bit formats that upstream accepts: 02-00-5e-10-00-01, 0200.5e10.0001. */
    private static final String WITH_HYPHENS = "([0-9a-fA-F]{2}-){5}[0-9a-fA-F]{2}";

    private static final String WITH_DOTS =
            "([0-9a-fA-F]{2})([0-9a-fA-F]{2})\\.([0-9a-fA-F]{2})([0-9a-fA-F]{2})\\.([0-9a-fA-F]{2})([0-9a-fA-F]{2})";

    private RequestedMac() {}

    /** The address of {@code runtimeConfig}, else of {@code args.cni}, else of CNI_ARGS. Empty if there is none. */
    public static Optional<MacAddress> of(JsonObject config, Map<String, String> args) throws CniException {
        Optional<JsonObject> runtime = config.object("runtimeConfig");
        if (runtime.isPresent() && runtime.get().string("mac").isPresent()) {
            return parsed(runtime.get());
        }
        Optional<JsonObject> argsConfig = config.object("args");
        Optional<JsonObject> cni = argsConfig.isPresent() ? argsConfig.get().object("cni") : Optional.empty();
        if (cni.isPresent() && cni.get().string("mac").isPresent()) {
            return parsed(cni.get());
        }
        String argument = args.getOrDefault("MAC", "");
        try {
            return argument.isEmpty() ? Optional.empty() : Optional.of(unicast(argument));
        } catch (IllegalArgumentException e) {
            throw new CniException(ErrorCode.INVALID_ENVIRONMENT, "CNI_ARGS: MAC=" + e.getMessage(), e);
        }
    }

    private static Optional<MacAddress> parsed(JsonObject json) throws CniException {
        try {
            return Optional.of(unicast(json.string("mac").orElse("")));
        } catch (IllegalArgumentException e) {
            throw json.refusal("mac", e);
        }
    }

    /** Whether the kernel accepts it as the address of a link. */
    private static MacAddress unicast(String text) {
        String colons = text;
        if (text.matches(WITH_HYPHENS)) {
            colons = text.replace('-', ':');
        } else if (text.matches(WITH_DOTS)) {
            colons = text.replaceFirst(WITH_DOTS, "$1:$2:$3:$4:$5:$6");
        }
        MacAddress mac = MacAddress.parse(colons);
        if ((mac.toBytes()[0] & GROUP_BIT) != 0 || mac.bits() == 0) {
            throw new IllegalArgumentException("\"" + text + "\" (expected: a unicast MAC address)");
        }
        return mac;
    }
}
