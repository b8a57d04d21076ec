package dev.nodepath.cni.config;

import dev.nodepath.cni.ipam.AddressRange;
import dev.nodepath.cni.ipam.IpamConfig;
import dev.nodepath.cni.ipam.RangeSet;
import dev.nodepath.cni.protocol.CniException;
import dev.nodepath.cni.protocol.CniVersion;
import dev.nodepath.cni.protocol.ErrorCode;
import dev.nodepath.cni.protocol.JsonObject;
import dev.nodepath.cni.protocol.RouteParser;
import dev.nodepath.linux.address.Cidr;
import dev.nodepath.linux.address.IpAddress;
import dev.nodepath.linux.address.IpFamily;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** Parses the {@code ipam} section of host-local into an {@link IpamConfig}. */
public final class IpamConfigParser {
    /** The plugin that this process replaces. */
    public static final String TYPE = "host-local";

    /** The most ranges of a set, and the most sets. */
    private static final int RANGES_MAX = 1024;

    /** The most excluded networks or addresses of a range. */
    private static final int EXCLUDED_MAX = 1024;

    private IpamConfigParser() {}

    /**
     * The plugin that the section names. Empty if the section is absent or empty: the network has no addresses then.
     */
    static Optional<String> type(JsonObject config) throws CniException {
        Optional<JsonObject> ipam = config.object("ipam");
        Optional<String> type = ipam.isPresent() ? ipam.get().string("type") : Optional.empty();
        if (ipam.isPresent()
                && type.isEmpty()
                && !Set.of("type").containsAll(ipam.get().keys())) {
            throw new CniException(
                    ErrorCode.INVALID_CONFIG, "ipam.type: missing (expected: \"" + TYPE + "\" or another plugin)");
        }
        return type;
    }

    /**
     * The section of host-local, with the additions of runtime configuration and arguments.
     *
     * @param args the {@code CNI_ARGS}
     * @param dataDirDefault where addresses are kept unless the configuration says otherwise
     * @throws CniException code 7, naming the field, what it was and what was expected
     */
    public static IpamConfig parse(JsonObject config, CniVersion version, Map<String, String> args, Path dataDirDefault)
            throws CniException {
        JsonObject ipam = config.object("ipam").orElseThrow(() -> config.refusal("ipam", "an object"));
        try {
            List<RangeSet> sets = new ArrayList<>();
            Optional<JsonObject> runtime = config.object("runtimeConfig");
            if (runtime.isPresent()) {
                sets.addAll(rangeSets(runtime.get(), "ipRanges"));
            }
            if (ipam.string("subnet").isPresent()) {
                sets.add(new RangeSet(List.of(range(ipam))));
            }
            sets.addAll(rangeSets(ipam, "ranges"));
            IpamConfig parsed = new IpamConfig(
                    dataDir(config, dataDirDefault),
                    sets,
                    RouteParser.parse(ipam),
                    RequestedAddresses.of(config, args));
            checkFamilies(parsed, version);
            return parsed;
        } catch (IllegalArgumentException e) {
            throw config.refusal("ipam", e);
        }
    }

    /** The configured resolver file; empty if there is none. */
    public static Optional<Path> resolvConf(JsonObject config) throws CniException {
        Optional<JsonObject> ipam = config.object("ipam");
        Optional<String> text = ipam.isPresent() ? ipam.get().string("resolvConf") : Optional.empty();
        if (ipam.isEmpty() || text.isEmpty()) {
            return Optional.empty();
        }
        try {
            return Optional.of(Path.of(text.get()));
        } catch (InvalidPathException e) {
            throw ipam.get().refusal("resolvConf", e);
        }
    }

    /** The folder of the addresses. */
    public static Path dataDir(JsonObject config, Path dataDirDefault) throws CniException {
        JsonObject ipam = config.object("ipam").orElseThrow(() -> config.refusal("ipam", "an object"));
        return NetworkConfigParser.absolutePath(ipam, "dataDir").orElse(dataDirDefault);
    }

    private static List<RangeSet> rangeSets(JsonObject json, String key) throws CniException {
        List<RangeSet> sets = new ArrayList<>();
        List<List<JsonObject>> lists = json.objectLists(key);
        if (lists.size() > RANGES_MAX) {
            throw json.refusal(key, "at most " + RANGES_MAX);
        }
        for (int i = 0; i < lists.size(); i++) {
            String element = key + "[" + i + "]";
            if (lists.get(i).size() > RANGES_MAX) {
                throw json.refusal(element, "at most " + RANGES_MAX);
            }
            List<AddressRange> ranges = new ArrayList<>();
            for (JsonObject range : lists.get(i)) {
                ranges.add(range(range));
            }
            try {
                sets.add(new RangeSet(ranges));
            } catch (IllegalArgumentException e) {
                throw json.refusal(element, e);
            }
        }
        return sets;
    }

    private static AddressRange range(JsonObject json) throws CniException {
        Cidr subnet = json.cidr("subnet").orElseThrow(() -> json.refusal("subnet", "ADDRESS/PREFIX-LENGTH"));
        Optional<IpAddress> start = json.address("rangeStart");
        Optional<IpAddress> end = json.address("rangeEnd");
        Optional<IpAddress> gateway = json.address("gateway");
        try {
            return AddressRange.of(subnet, start, end, gateway).without(excluded(json));
        } catch (IllegalArgumentException e) {
            throw json.refusal(e);
        }
    }

    /** Networks and single addresses, in the format of other plugins with this option. */
    private static List<Cidr> excluded(JsonObject json) throws CniException {
        List<String> texts = json.strings("exclude");
        if (texts.size() > EXCLUDED_MAX) {
            throw json.refusal("exclude", "at most " + EXCLUDED_MAX);
        }
        List<Cidr> excluded = new ArrayList<>();
        for (int i = 0; i < texts.size(); i++) {
            try {
                excluded.add(network(texts.get(i)));
            } catch (IllegalArgumentException e) {
                throw json.refusal("exclude[" + i + "]", e);
            }
        }
        return excluded;
    }

    private static Cidr network(String text) {
        if (text.indexOf('/') >= 0) {
            return Cidr.parse(text).unmapped().network();
        }
        return Cidr.single(IpAddress.parse(text).unmapped());
    }

    /** Before version 0.3.0 a result holds one address of each family. */
    private static void checkFamilies(IpamConfig ipam, CniVersion version) throws CniException {
        int ipv4 = 0;
        for (RangeSet set : ipam.rangeSets()) {
            ipv4 += set.family() == IpFamily.IPV4 ? 1 : 0;
        }
        int ipv6 = ipam.rangeSets().size() - ipv4;
        if ((ipv4 > 1 || ipv6 > 1) && !version.isAtLeast(CniVersion.V0_3_0)) {
            throw new CniException(
                    ErrorCode.INVALID_CONFIG,
                    "CNI version " + version + " does not support more than 1 address per family");
        }
    }
}
