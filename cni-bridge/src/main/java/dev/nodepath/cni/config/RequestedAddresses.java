package dev.nodepath.cni.config;

import dev.nodepath.cni.protocol.CniException;
import dev.nodepath.cni.protocol.ErrorCode;
import dev.nodepath.cni.protocol.JsonObject;
import dev.nodepath.linux.address.Cidr;
import dev.nodepath.linux.address.IpAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** The addresses that a container asks for: {@code IP} in CNI_ARGS, {@code args.cni.ips}, {@code runtimeConfig.ips}. */
final class RequestedAddresses {
    private static final int REQUESTS_MAX = 1024;

    private RequestedAddresses() {}

    /** All requested addresses, each with or without a prefix length. */
    static List<IpAddress> of(JsonObject config, Map<String, String> args) throws CniException {
        List<IpAddress> requested = new ArrayList<>();
        String argument = args.getOrDefault("IP", "");
        if (!argument.isEmpty()) {
            try {
                requested.add(address(argument));
            } catch (IllegalArgumentException e) {
                throw new CniException(ErrorCode.INVALID_ENVIRONMENT, "CNI_ARGS: IP=" + e.getMessage(), e);
            }
        }
        Optional<JsonObject> argsConfig = config.object("args");
        Optional<JsonObject> cni = argsConfig.isPresent() ? argsConfig.get().object("cni") : Optional.empty();
        if (cni.isPresent()) {
            addAll(cni.get(), requested);
        }
        Optional<JsonObject> runtime = config.object("runtimeConfig");
        if (runtime.isPresent()) {
            addAll(runtime.get(), requested);
        }
        return requested;
    }

    private static void addAll(JsonObject json, List<IpAddress> requested) throws CniException {
        List<String> texts = json.strings("ips");
        if (texts.size() > REQUESTS_MAX) {
            throw json.refusal("ips", "at most " + REQUESTS_MAX);
        }
        for (int i = 0; i < texts.size(); i++) {
            try {
                requested.add(address(texts.get(i)));
            } catch (IllegalArgumentException e) {
                throw json.refusal("ips[" + i + "]", e);
            }
        }
    }

    private static IpAddress address(String text) {
        IpAddress address = text.indexOf('/') >= 0 ? Cidr.parse(text).address() : IpAddress.parse(text);
        return address.unmapped();
    }
}
