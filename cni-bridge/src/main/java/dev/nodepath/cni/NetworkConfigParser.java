package dev.nodepath.cni;

import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/** Makes a {@link NetworkConfig} of its JSON. */
final class NetworkConfigParser {
    private static final String BRIDGE_DEFAULT = "cni0";

    /** The least and the greatest MTU of a veth and a bridge, in bytes: {@code ETH_MIN_MTU}, {@code ETH_MAX_MTU}. */
    private static final long MTU_MIN = 68;

    private static final long MTU_MAX = 65535;

    private NetworkConfigParser() {}

    /**
     * The version that the configuration asks for; 0.1.0 if it names none.
     *
     * @throws CniException code 1 if it is not spoken here
     */
    static CniVersion version(JsonObject json) throws CniException {
        String text = json.string("cniVersion").orElse(CniVersion.V0_1_0.toString());
        Optional<CniVersion> version = CniVersion.of(text);
        if (version.isEmpty()) {
            throw new CniException(
                    ErrorCode.INCOMPATIBLE_VERSION,
                    "incompatible CNI versions",
                    "config is \"" + text + "\", plugin supports " + CniVersion.supported());
        }
        return version.get();
    }

    /**
     * The configuration that the JSON holds; unknown keys are passed over.
     *
     * @param dataDirDefault where addresses are kept unless the configuration says otherwise
     * @throws CniException code 7, naming the field, what it was and what was expected
     */
    static NetworkConfig parse(JsonObject json, Path dataDirDefault) throws CniException {
        CniVersion version = version(json);
        boolean isDefaultGateway = json.bool("isDefaultGateway");
        return new NetworkConfig(
                version,
                name(json),
                bridge(json),
                isDefaultGateway || json.bool("isGateway"),
                isDefaultGateway,
                json.bool("hairpinMode"),
                mtu(json),
                IpamConfigParser.parse(json, version, dataDirDefault),
                dns(json));
    }

    private static String name(JsonObject json) throws CniException {
        String name = json.string("name").orElse("");
        if (name.isEmpty()) {
            throw new CniException(ErrorCode.INVALID_CONFIG, "missing network name");
        }
        if (!Names.isIdentifier(name)) {
            throw new CniException(
                    ErrorCode.INVALID_CONFIG,
                    "invalid characters found in network name",
                    json.refusal("name", Names.IDENTIFIER).text());
        }
        return name;
    }

    private static String bridge(JsonObject json) throws CniException {
        String bridge = json.string("bridge").orElse(BRIDGE_DEFAULT);
        if (!Environment.isInterfaceName(bridge)) {
            throw json.refusal("bridge", Environment.interfaceNameRule());
        }
        return bridge;
    }

    private static Optional<Integer> mtu(JsonObject json) throws CniException {
        long mtu = json.integer("mtu").orElse(0L);
        if (mtu != 0 && (mtu < MTU_MIN || mtu > MTU_MAX)) {
            throw json.refusal("mtu", "0 for the default, or " + MTU_MIN + " to " + MTU_MAX);
        }
        return mtu == 0 ? Optional.empty() : Optional.of((int) mtu);
    }

    private static Dns dns(JsonObject json) throws CniException {
        Optional<JsonObject> dns = json.object("dns");
        if (dns.isEmpty()) {
            return Dns.NONE;
        }
        List<String> nameservers = dns.get().strings("nameservers");
        return new Dns(
                nameservers,
                dns.get().string("domain").orElse(""),
                dns.get().strings("search"),
                dns.get().strings("options"));
    }
}
