package dev.nodepath.cni.config;

import dev.nodepath.cni.protocol.CniException;
import dev.nodepath.cni.protocol.ErrorCode;
import dev.nodepath.cni.protocol.JsonObject;
import dev.nodepath.linux.link.PortVlan;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.Optional;

/** Reads {@code vlan}, {@code vlanTrunk} and {@code preserveDefaultVlan}. */
final class VlanConfigParser {
    private static final int ID_MAX = 4094;

    private static final int TRUNK_ENTRIES_MAX = ID_MAX;

    private VlanConfigParser() {}

    /** The VLANs; those of the trunk are sorted and do not overlap. */
    static NetworkConfig.VlanConfig parse(JsonObject json) throws CniException {
        long access = json.integer("vlan").orElse(0L);
        if (access < 0 || access > ID_MAX) {
            throw new CniException(
                    ErrorCode.INVALID_CONFIG,
                    "invalid VLAN ID " + access + " (must be between 0 and " + ID_MAX + ")",
                    json.refusal("vlan", "0 to " + ID_MAX).text());
        }
        return new NetworkConfig.VlanConfig((int) access, trunk(json), json.bool("preserveDefaultVlan"));
    }

    private static List<PortVlan> trunk(JsonObject json) throws CniException {
        List<JsonObject> entries = json.objects("vlanTrunk");
        if (entries.size() > TRUNK_ENTRIES_MAX) {
            throw json.refusal("vlanTrunk", "at most " + TRUNK_ENTRIES_MAX + " entries");
        }
        BitSet ids = new BitSet();
        for (JsonObject entry : entries) {
            Optional<Integer> min = id(entry, "minID");
            Optional<Integer> max = id(entry, "maxID");
            if (min.isPresent() && max.isPresent()) {
                if (max.get() < min.get()) {
                    throw entry.refusal("maxID", "minID or more");
                }
                ids.set(min.get(), max.get() + 1);
            } else if (min.isPresent() || max.isPresent()) {
                throw entry.refusal(min.isPresent() ? "maxID" : "minID", "both minID and maxID, or neither");
            }
            Optional<Integer> id = id(entry, "id");
            if (id.isPresent()) {
                ids.set(id.get());
            }
        }
        return ranges(ids);
    }

    private static Optional<Integer> id(JsonObject entry, String key) throws CniException {
        Optional<Long> id = entry.integer(key);
        if (id.isPresent() && (id.get() < 1 || id.get() > ID_MAX)) {
            throw entry.refusal(key, "1 to " + ID_MAX);
        }
        return id.map(Long::intValue);
    }

    private static List<PortVlan> ranges(BitSet ids) {
        List<PortVlan> ranges = new ArrayList<>();
        for (int first = ids.nextSetBit(0); first >= 0; first = ids.nextSetBit(first)) {
            int end = ids.nextClearBit(first);
            ranges.add(new PortVlan(first, end - 1, false, false));
            first = end;
        }
        return ranges;
    }
}
