package dev.nodepath.cni.protocol;

import com.fasterxml.jackson.core.JsonGenerator;
import dev.nodepath.cni.ipam.PodRoute;
import dev.nodepath.linux.address.IpAddress;
import dev.nodepath.linux.address.IpFamily;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Writes a result in the format of a configuration's version. Source: the {@code types} packages of libcni, and section
 * "Result types" of each specification.
 */
public final class ResultEncoder {
    private ResultEncoder() {}

    /**
     * The result as one line of JSON.
     *
     * @throws CniException code 7 if the version cannot represent it: before 0.3.0 a result must have an address
     */
    public static String encode(CniResult result, CniVersion version) throws CniException {
        checkFits(result.ips().size(), version);
        return JsonText.object(json -> {
            json.writeStringField("cniVersion", version.toString());
            if (version.isAtLeast(CniVersion.V0_3_0)) {
                writeLists(json, result, version);
            } else {
                writeFamily(json, "ip4", result, IpFamily.IPV4);
                writeFamily(json, "ip6", result, IpFamily.IPV6);
            }
            if (!version.isAtLeast(CniVersion.V1_0_0) || !result.dns().isEmpty()) {
                writeDns(json, result.dns());
            }
        });
    }

    /**
     * Checks that the version can represent a result with this number of addresses.
     *
     * @throws CniException code 7 if not
     */
    public static void checkFits(int addresses, CniVersion version) throws CniException {
        if (addresses == 0 && !version.isAtLeast(CniVersion.V0_3_0)) {
            throw new CniException(
                    ErrorCode.INVALID_CONFIG,
                    "cannot convert: no valid IP addresses",
                    "cniVersion: \"" + version + "\" (expected: >= 0.3.0, or an ipam section)");
        }
    }

    private static void writeLists(JsonGenerator json, CniResult result, CniVersion version) throws IOException {
        json.writeArrayFieldStart("interfaces");
        for (CniResult.Interface link : result.interfaces()) {
            writeInterface(json, link, version);
        }
        json.writeEndArray();
        if (!result.ips().isEmpty()) {
            json.writeArrayFieldStart("ips");
            for (CniResult.Ip ip : result.ips()) {
                writeIp(json, ip, version);
            }
            json.writeEndArray();
        }
        writeRoutes(json, result.routes(), version);
    }

    private static void writeInterface(JsonGenerator json, CniResult.Interface link, CniVersion version)
            throws IOException {
        json.writeStartObject();
        json.writeStringField("name", link.name());
        writeUnlessEmpty(json, "mac", link.mac());
        if (version.isAtLeast(CniVersion.V1_1_0) && link.mtu() != 0) {
            json.writeNumberField("mtu", link.mtu());
        }
        writeUnlessEmpty(json, "sandbox", link.sandbox());
        if (version.isAtLeast(CniVersion.V1_1_0)) {
            writeUnlessEmpty(json, "socketPath", link.socketPath());
            writeUnlessEmpty(json, "pciID", link.pciId());
        }
        json.writeEndObject();
    }

    private static void writeIp(JsonGenerator json, CniResult.Ip ip, CniVersion version) throws IOException {
        json.writeStartObject();
        if (!version.isAtLeast(CniVersion.V1_0_0)) {
            json.writeStringField("version", ip.address().family() == IpFamily.IPV4 ? "4" : "6");
        }
        if (ip.interfaceIndex().isPresent()) {
            json.writeNumberField("interface", ip.interfaceIndex().get());
        }
        json.writeStringField("address", ip.address().toString());
        if (ip.gateway().isPresent()) {
            json.writeStringField("gateway", ip.gateway().get().toString());
        }
        json.writeEndObject();
    }

    /** The old format has one address of each family, with the routes of the family. */
    private static void writeFamily(JsonGenerator json, String field, CniResult result, IpFamily family)
            throws IOException {
        for (CniResult.Ip ip : result.ips()) {
            if (ip.address().family() == family) {
                json.writeObjectFieldStart(field);
                json.writeStringField("ip", ip.address().toString());
                if (ip.gateway().isPresent()) {
                    json.writeStringField("gateway", ip.gateway().get().toString());
                }
                writeRoutes(json, routesOf(family, result.routes()), CniVersion.V0_1_0);
                json.writeEndObject();
                return;
            }
        }
    }

    private static List<PodRoute> routesOf(IpFamily family, List<PodRoute> routes) {
        List<PodRoute> chosen = new ArrayList<>();
        for (PodRoute route : routes) {
            if (route.destination().family() == family) {
                chosen.add(route);
            }
        }
        return chosen;
    }

    private static void writeRoutes(JsonGenerator json, List<PodRoute> routes, CniVersion version) throws IOException {
        if (routes.isEmpty()) {
            return;
        }
        json.writeArrayFieldStart("routes");
        for (PodRoute route : routes) {
            json.writeStartObject();
            json.writeStringField("dst", route.destination().toString());
            if (route.gateway().isPresent()) {
                IpAddress gateway = route.gateway().get();
                json.writeStringField("gw", gateway.toString());
            }
            if (version.isAtLeast(CniVersion.V1_1_0)) {
                writeIfPresent(json, "mtu", route.options().mtu());
                writeIfPresent(json, "advmss", route.options().advmss());
                writeIfPresent(json, "priority", route.options().priority());
                writeIfPresent(json, "table", route.options().table());
                writeIfPresent(json, "scope", route.options().scope());
            }
            json.writeEndObject();
        }
        json.writeEndArray();
    }

    private static void writeDns(JsonGenerator json, Dns dns) throws IOException {
        json.writeObjectFieldStart("dns");
        writeUnlessEmpty(json, "nameservers", dns.nameservers());
        writeUnlessEmpty(json, "domain", dns.domain());
        writeUnlessEmpty(json, "search", dns.search());
        writeUnlessEmpty(json, "options", dns.options());
        json.writeEndObject();
    }

    private static void writeIfPresent(JsonGenerator json, String field, Optional<Integer> value) throws IOException {
        if (value.isPresent()) {
            json.writeNumberField(field, Integer.toUnsignedLong(value.get()));
        }
    }

    private static void writeUnlessEmpty(JsonGenerator json, String field, String value) throws IOException {
        if (!value.isEmpty()) {
            json.writeStringField(field, value);
        }
    }

    private static void writeUnlessEmpty(JsonGenerator json, String field, List<String> values) throws IOException {
        if (!values.isEmpty()) {
            json.writeArrayFieldStart(field);
            for (String value : values) {
                json.writeString(value);
            }
            json.writeEndArray();
        }
    }
}
