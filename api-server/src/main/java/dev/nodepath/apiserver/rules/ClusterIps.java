package dev.nodepath.apiserver.rules;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.nodepath.apiserver.resource.Resources;
import dev.nodepath.apiserver.store.ObjectStore;
import dev.nodepath.apiserver.validation.Addresses;
import dev.nodepath.linux.address.Cidr;
import dev.nodepath.linux.address.IpAddress;
import dev.nodepath.linux.address.IpFamily;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Random;
import java.util.Set;

/** ClusterIPs from the ranges of the ServiceCIDR objects. */
final class ClusterIps {
    private static final int SIZE_BITS_MAX = 62;

    private final ObjectStore store;
    private final ServiceUse used;
    private final Random random;

    ClusterIps(ObjectStore store, ServiceUse used, Random random) {
        this.store = store;
        this.used = used;
        this.random = random;
    }

    /** The families of the ranges; first the default one, of the ServiceCIDR {@code kubernetes}. */
    List<String> families() {
        List<String> families = new ArrayList<>();
        ranges().forEach(range -> {
            String family = range.family().toString();
            if (!families.contains(family)) {
                families.add(family);
            }
        });
        return families;
    }

    /** Why an address cannot be had; empty if it can. */
    Optional<String> refusal(IpAddress address) {
        if (ranges().stream().noneMatch(range -> isUsable(range, address))) {
            return Optional.of("the provided network does not match the current range");
        }
        return used.has(address) ? Optional.of("provided IP is already allocated") : Optional.empty();
    }

    /** A free address of a family. */
    Optional<IpAddress> next(String family, Set<IpAddress> taken) {
        for (Cidr range : ranges()) {
            if (range.family().toString().equals(family)) {
                Optional<IpAddress> free = next(range, taken);
                if (free.isPresent()) {
                    return free;
                }
            }
        }
        return Optional.empty();
    }

    private Optional<IpAddress> next(Cidr range, Set<IpAddress> taken) {
        int bits = Math.min(range.family().bits() - range.prefixLength(), SIZE_BITS_MAX);
        long size = Math.max(0, (1L << bits) - unusable(range));
        OptionalLong free = Band.ofAddresses(size).pick(random, (long) used.addressCount() + taken.size(), offset -> {
            IpAddress address = address(range, offset);
            return used.has(address) || taken.contains(address);
        });
        return free.isPresent() ? Optional.of(address(range, free.getAsLong())) : Optional.empty();
    }

    private static IpAddress address(Cidr range, long offset) {
        return range.address().plus(offset + 1);
    }

    /** The first address, and of IPv4 also the last. */
    private static int unusable(Cidr range) {
        return range.family() == IpFamily.IPV6 ? 1 : 2;
    }

    private static boolean isUsable(Cidr range, IpAddress address) {
        boolean last = address.family() == IpFamily.IPV4 && address.equals(range.last());
        return range.contains(address) && !address.equals(range.address()) && !last;
    }

    /** Ranges of ServiceCIDRs that are not being deleted; those of {@code kubernetes} first. */
    private Set<Cidr> ranges() {
        List<ObjectNode> objects =
                new ArrayList<>(store.list(Resources.SERVICE_CIDRS, "").objects());
        objects.removeIf(each -> each.path("metadata").has("deletionTimestamp"));
        Set<Cidr> ranges = new LinkedHashSet<>();
        for (boolean first : new boolean[] {true, false}) {
            for (ObjectNode object : objects) {
                if (object.path("metadata").path("name").asText().equals("kubernetes") == first) {
                    for (JsonNode cidr : object.path("spec").path("cidrs")) {
                        Addresses.parseNetwork(cidr.asText()).ifPresent(ranges::add);
                    }
                }
            }
        }
        return ranges;
    }
}
