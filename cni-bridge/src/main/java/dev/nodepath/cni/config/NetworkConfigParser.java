package dev.nodepath.cni.config;

import dev.nodepath.cni.protocol.CniEnvironment;
import dev.nodepath.cni.protocol.CniException;
import dev.nodepath.cni.protocol.CniVersion;
import dev.nodepath.cni.protocol.Dns;
import dev.nodepath.cni.protocol.ErrorCode;
import dev.nodepath.cni.protocol.JsonObject;
import dev.nodepath.cni.protocol.Names;
import dev.nodepath.cni.protocol.ResultParser;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/** Parses a {@link NetworkConfig} from JSON. */
public final class NetworkConfigParser {
    static final String BRIDGE_DEFAULT = "cni0";

    /** The least and the greatest MTU of a veth and a bridge, in bytes: {@code ETH_MIN_MTU}, {@code ETH_MAX_MTU}. */
    private static final int MTU_MIN = 68;

    public static final int MTU_MAX = 65535;

    private static final List<String> DNS_LISTS = List.of("nameservers", "search", "options");

    private NetworkConfigParser() {}

    /**
     * The configuration's version; 0.1.0 if it names none.
     *
     * @throws CniException code 1 if this plugin does not support it
     */
    public static CniVersion version(JsonObject json) throws CniException {
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
     * The configuration in the JSON. Unknown keys are ignored.
     *
     * @throws CniException code 7, naming the field, what it was and what was expected
     */
    public static NetworkConfig parse(JsonObject json) throws CniException {
        NetworkConfig config = new NetworkConfig(
                version(json),
                name(json),
                bridge(json),
                port(json),
                IpamConfigParser.type(json),
                dns(json),
                absolutePath(json, "policyMark"));
        if (config.port().hairpin() && config.bridge().promiscuous()) {
            throw new CniException(
                    ErrorCode.INVALID_CONFIG,
                    "cannot set hairpin mode and promiscuous mode at the same time",
                    "hairpinMode: true, promiscMode: true (expected: at most one)");
        }
        if (config.port().containerDown() && config.ipamType().isPresent()) {
            throw new CniException(
                    ErrorCode.INVALID_CONFIG,
                    "cannot use IPAM when disableContainerInterface is set",
                    "ipam.type: \"" + config.ipamType().get() + "\" (expected: none)");
        }
        // Other plugins give addresses when the link is in use already.
        if (config.port().addressCheck() && !config.ipamType().equals(Optional.of(IpamConfigParser.TYPE))) {
            throw new CniException(
                    ErrorCode.INVALID_CONFIG,
                    "cannot check source addresses without " + IpamConfigParser.TYPE,
                    "ipspoofchk: true, ipam.type: "
                            + config.ipamType().map(type -> "\"" + type + "\"").orElse("none") + " (expected: \""
                            + IpamConfigParser.TYPE + "\")");
        }
        // Frames with a tag pass bridge netfilter by, and so NetworkPolicies.
        if (config.port().addressCheck() && !config.port().vlans().trunk().isEmpty()) {
            throw new CniException(
                    ErrorCode.INVALID_CONFIG,
                    "cannot check source addresses of a trunk",
                    "ipspoofchk: true, vlanTrunk: "
                            + config.port().vlans().trunk().size() + " VLANs (expected: at most one of the two)");
        }
        return config;
    }

    static String name(JsonObject json) throws CniException {
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

    private static NetworkConfig.BridgeConfig bridge(JsonObject json) throws CniException {
        String name = json.string("bridge").orElse(BRIDGE_DEFAULT);
        if (!CniEnvironment.isInterfaceName(name)) {
            throw json.refusal("bridge", CniEnvironment.interfaceNameRule());
        }
        String backend = json.string("ipMasqBackend").orElse("nftables");
        if (!backend.equals("nftables") && !backend.equals("iptables")) {
            throw json.refusal("ipMasqBackend", "nftables or iptables");
        }
        boolean isDefaultGateway = json.bool("isDefaultGateway");
        return new NetworkConfig.BridgeConfig(
                name,
                json.bool("isGateway") || isDefaultGateway,
                isDefaultGateway,
                json.bool("forceAddress"),
                masquerade(json),
                json.bool("promiscMode"),
                mtu(json),
                json.bool("bridgeNetfilter"),
                json.bool("prune"));
    }

    private static NetworkConfig.MasqueradeConfig masquerade(JsonObject json) throws CniException {
        boolean ipv4 = json.bool("ipMasq");
        boolean ipv6 = json.shown("ip6Masq").isPresent() ? json.bool("ip6Masq") : ipv4;
        return new NetworkConfig.MasqueradeConfig(ipv4, ipv6, json.bool("ipMasqWithinSubnet"));
    }

    private static Optional<Integer> mtu(JsonObject json) throws CniException {
        long mtu = json.integer("mtu").orElse(0L);
        if (mtu != 0 && (mtu < MTU_MIN || mtu > MTU_MAX)) {
            throw json.refusal("mtu", "0 for the default, or " + MTU_MIN + " to " + MTU_MAX);
        }
        return mtu == 0 ? Optional.empty() : Optional.of((int) mtu);
    }

    private static NetworkConfig.PortConfig port(JsonObject json) throws CniException {
        return new NetworkConfig.PortConfig(
                json.bool("hairpinMode"),
                json.bool("portIsolation"),
                json.bool("macspoofchk"),
                json.bool("ipspoofchk"),
                json.bool("enabledad"),
                json.bool("disableContainerInterface"),
                VlanConfigParser.parse(json));
    }

    /** A path in a field; empty if the field is missing or empty. */
    static Optional<Path> absolutePath(JsonObject json, String field) throws CniException {
        String text = json.string(field).orElse("");
        try {
            if (text.isEmpty() || Path.of(text).isAbsolute()) {
                return text.isEmpty() ? Optional.empty() : Optional.of(Path.of(text));
            }
        } catch (InvalidPathException e) {
            throw json.refusal(field, e);
        }
        throw json.refusal(field, "an absolute path");
    }

    private static Optional<Dns> dns(JsonObject json) throws CniException {
        Optional<JsonObject> given = json.object("dns");
        if (given.isEmpty()) {
            return Optional.empty();
        }
        Dns dns = ResultParser.dns(given.get());
        boolean listed = false;
        for (String key : DNS_LISTS) {
            listed |= given.get().shown(key).isPresent();
        }
        return dns.isEmpty() && !listed ? Optional.empty() : Optional.of(dns);
    }
}
