package dev.nodepath.cni;

import dev.nodepath.cni.ipam.AddressRange;
import dev.nodepath.cni.ipam.IpamConfig;
import dev.nodepath.cni.ipam.PodRoute;
import dev.nodepath.cni.ipam.RangeSet;
import dev.nodepath.linux.Cidr;
import dev.nodepath.linux.IpAddress;
import dev.nodepath.linux.IpFamily;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** Makes an {@link IpamConfig} of the {@code ipam} section, which is that of the host-local plugin. */
final class IpamConfigParser {
    private static final String TYPE = "host-local";

    /** How many ranges a set may have and how many sets there may be. */
    private static final int RANGES_MAX = 64;

    private static final int ROUTES_MAX = 256;

    private IpamConfigParser() {}

    /**
     * The section; empty if it is absent or has no type, which makes a network without addresses.
     *
     * @throws CniException code 7, naming the field, what it was and what was expected; code 2 for another plugin's section
     */
    static Optional<IpamConfig> parse(JsonObject config, CniVersion version, Path dataDirDefault) throws CniException {
        JsonObject ipam = config.object("ipam").orElse(null);
        String type = ipam == null ? "" : ipam.string("type").orElse("");
        if (ipam == null || (type.isEmpty() && Set.of("type").containsAll(ipam.keys()))) {
            return Optional.empty();
        }
        if (type.isEmpty()) {
            throw new CniException(ErrorCode.INVALID_CONFIG, "ipam.type: missing (expected: \"" + TYPE + "\")");
        }
        if (!type.equals(TYPE)) {
            throw new CniException(
                    ErrorCode.UNSUPPORTED_FIELD, "ipam.type: \"" + type + "\" (expected: \"" + TYPE + "\")");
        }
        try {
            IpamConfig parsed = new IpamConfig(dataDir(ipam, dataDirDefault), rangeSets(ipam), routes(ipam));
            checkFamilies(parsed, version);
            return Optional.of(parsed);
        } catch (IllegalArgumentException e) {
            throw config.refusal("ipam", e);
        }
    }

    private static Path dataDir(JsonObject ipam, Path dataDirDefault) throws CniException {
        String text = ipam.string("dataDir").orElse("");
        if (text.isEmpty()) {
            return dataDirDefault;
        }
        try {
            Path path = Path.of(text);
            if (path.isAbsolute()) {
                return path;
            }
        } catch (InvalidPathException e) {
            throw ipam.refusal("dataDir", e);
        }
        throw ipam.refusal("dataDir", "an absolute path");
    }

    /** The range that stands in the section itself comes before those of its list. */
    private static List<RangeSet> rangeSets(JsonObject ipam) throws CniException {
        List<RangeSet> sets = new ArrayList<>();
        if (ipam.string("subnet").isPresent()) {
            sets.add(new RangeSet(List.of(range(ipam))));
        }
        List<List<JsonObject>> lists = ipam.objectLists("ranges");
        if (lists.size() > RANGES_MAX) {
            throw ipam.refusal("ranges", "at most " + RANGES_MAX);
        }
        for (int i = 0; i < lists.size(); i++) {
            List<AddressRange> ranges = new ArrayList<>();
            if (lists.get(i).size() > RANGES_MAX) {
                throw ipam.refusal("ranges[" + i + "]", "at most " + RANGES_MAX);
            }
            for (JsonObject range : lists.get(i)) {
                ranges.add(range(range));
            }
            try {
                sets.add(new RangeSet(ranges));
            } catch (IllegalArgumentException e) {
                throw ipam.refusal("ranges[" + i + "]", e);
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
            return AddressRange.of(subnet, start, end, gateway);
        } catch (IllegalArgumentException e) {
            throw json.refusal(e);
        }
    }

    private static List<PodRoute> routes(JsonObject ipam) throws CniException {
        List<JsonObject> list = ipam.objects("routes");
        if (list.size() > ROUTES_MAX) {
            throw ipam.refusal("routes", "at most " + ROUTES_MAX);
        }
        List<PodRoute> routes = new ArrayList<>();
        for (JsonObject json : list) {
            Cidr destination = json.cidr("dst").orElseThrow(() -> json.refusal("dst", "ADDRESS/PREFIX-LENGTH"));
            Optional<IpAddress> gateway = json.address("gw");
            if (gateway.isPresent() && gateway.get().family() != destination.family()) {
                throw json.refusal("gw", "an address of the family of dst");
            }
            try {
                routes.add(new PodRoute(destination, gateway));
            } catch (IllegalArgumentException e) {
                throw json.refusal("dst", e);
            }
        }
        return routes;
    }

    /** A result before 0.3.0 has room for one address of each family. */
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
