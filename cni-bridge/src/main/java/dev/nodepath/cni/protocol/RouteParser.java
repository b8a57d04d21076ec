package dev.nodepath.cni.protocol;

import dev.nodepath.cni.ipam.PodRoute;
import dev.nodepath.linux.address.Cidr;
import dev.nodepath.linux.address.IpAddress;
import dev.nodepath.linux.route.RouteOptions;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Parses {@code routes}, of host-local's section or of a result: CNI specification 1.1.0, "Result". */
public final class RouteParser {
    private static final int ROUTES_MAX = 16_384;
    private static final long UNSIGNED_INT_MAX = 0xFFFF_FFFFL;
    private static final long SCOPE_MAX = 255;

    private RouteParser() {}

    /** The routes of an object; none without the list. */
    public static List<PodRoute> parse(JsonObject json) throws CniException {
        List<JsonObject> list = json.objects("routes");
        if (list.size() > ROUTES_MAX) {
            throw json.refusal("routes", "at most " + ROUTES_MAX);
        }
        List<PodRoute> routes = new ArrayList<>();
        for (JsonObject route : list) {
            routes.add(route(route));
        }
        return routes;
    }

    private static PodRoute route(JsonObject json) throws CniException {
        Cidr destination = json.cidr("dst").orElseThrow(() -> json.refusal("dst", "ADDRESS/PREFIX-LENGTH"));
        Optional<IpAddress> gateway = json.address("gw");
        if (gateway.isPresent() && gateway.get().family() != destination.family()) {
            throw json.refusal("gw", "an address of the family of dst");
        }
        RouteOptions options = new RouteOptions(
                positive(json, "mtu"),
                positive(json, "advmss"),
                positive(json, "priority"),
                positive(json, "table"),
                number(json, "scope", SCOPE_MAX));
        try {
            return new PodRoute(destination, gateway, options);
        } catch (IllegalArgumentException e) {
            throw json.refusal("dst", e);
        }
    }

    /** Zero counts as absent, as in libcni's types. */
    private static Optional<Integer> positive(JsonObject json, String key) throws CniException {
        return number(json, key, UNSIGNED_INT_MAX).filter(number -> number != 0);
    }

    private static Optional<Integer> number(JsonObject json, String key, long max) throws CniException {
        Optional<Long> number = json.integer(key);
        if (number.isPresent() && (number.get() < 0 || number.get() > max)) {
            throw json.refusal(key, "0 to " + max);
        }
        return number.map(Long::intValue);
    }
}
