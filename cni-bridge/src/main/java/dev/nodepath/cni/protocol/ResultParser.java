package dev.nodepath.cni.protocol;

import dev.nodepath.cni.ipam.PodRoute;
import dev.nodepath.linux.address.Cidr;
import dev.nodepath.linux.address.IpAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Reads a result of any version, such as {@code prevResult} or another plugin's output. */
public final class ResultParser {
    private static final int ENTRIES_MAX = 16_384;
    private static final int MTU_MAX = Integer.MAX_VALUE;

    /** Some plugins write this value instead of omitting {@code interface}. */
    private static final long OF_NO_INTERFACE = -1;

    private ResultParser() {}

    /**
     * Parses the result in an object.
     *
     * @throws CniException code 7, naming the field, what it was and what was expected
     */
    public static CniResult parse(JsonObject json) throws CniException {
        List<CniResult.Ip> ips = new ArrayList<>();
        List<PodRoute> routes = new ArrayList<>(RouteParser.parse(json));
        for (String family : List.of("ip4", "ip6")) {
            Optional<JsonObject> old = json.object(family);
            if (old.isPresent()) {
                Cidr address = old.get().cidr("ip").orElseThrow(() -> old.get().refusal("ip", "ADDRESS/PREFIX-LENGTH"));
                ips.add(new CniResult.Ip(Optional.empty(), address, old.get().address("gateway")));
                routes.addAll(RouteParser.parse(old.get()));
            }
        }
        List<CniResult.Interface> interfaces = interfaces(json);
        for (JsonObject ip : limited(json, "ips")) {
            ips.add(ip(ip, interfaces.size()));
        }
        Optional<JsonObject> dns = json.object("dns");
        return new CniResult(interfaces, ips, routes, dns.isPresent() ? dns(dns.get()) : Dns.NONE);
    }

    private static List<CniResult.Interface> interfaces(JsonObject json) throws CniException {
        List<CniResult.Interface> interfaces = new ArrayList<>();
        for (JsonObject link : limited(json, "interfaces")) {
            long mtu = link.integer("mtu").orElse(0L);
            if (mtu < 0 || mtu > MTU_MAX) {
                throw link.refusal("mtu", "0 to " + MTU_MAX);
            }
            interfaces.add(new CniResult.Interface(
                    link.string("name").orElse(""),
                    link.string("mac").orElse(""),
                    (int) mtu,
                    link.string("sandbox").orElse(""),
                    link.string("socketPath").orElse(""),
                    link.string("pciID").orElse("")));
        }
        return interfaces;
    }

    private static CniResult.Ip ip(JsonObject json, int interfaces) throws CniException {
        Cidr address = json.cidr("address").orElseThrow(() -> json.refusal("address", "ADDRESS/PREFIX-LENGTH"));
        Optional<IpAddress> gateway = json.address("gateway");
        Optional<Long> index = json.integer("interface");
        if (index.isPresent() && index.get() == OF_NO_INTERFACE) {
            index = Optional.empty();
        }
        if (index.isPresent() && (index.get() < 0 || index.get() >= Math.max(interfaces, 1))) {
            throw json.refusal("interface", "an index into interfaces");
        }
        return new CniResult.Ip(index.map(Long::intValue), address, gateway);
    }

    private static List<JsonObject> limited(JsonObject json, String key) throws CniException {
        List<JsonObject> list = json.objects(key);
        if (list.size() > ENTRIES_MAX) {
            throw json.refusal(key, "at most " + ENTRIES_MAX);
        }
        return list;
    }

    /** Parses the name resolution of a configuration or result. */
    public static Dns dns(JsonObject json) throws CniException {
        return new Dns(
                json.strings("nameservers"),
                json.string("domain").orElse(""),
                json.strings("search"),
                json.strings("options"));
    }
}
