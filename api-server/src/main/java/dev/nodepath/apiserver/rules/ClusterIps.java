package dev.nodepath.apiserver.rules;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.nodepath.apiserver.resource.Resources;
import dev.nodepath.apiserver.store.ObjectStore;
import dev.nodepath.apiserver.validation.Ip;
import dev.nodepath.apiserver.validation.IpPrefix;
import java.math.BigInteger;
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

    /** The families of the ranges, the default one first: that of the ServiceCIDR {@code kubernetes}. */
    List<String> families() {
        List<String> families = new ArrayList<>();
        ranges().forEach(range -> {
            if (!families.contains(range.first().family())) {
                families.add(range.first().family());
            }
        });
        return families;
    }

    /** Why an address cannot be had; empty if it can. */
    Optional<String> refusal(Ip address) {
        if (ranges().stream().noneMatch(range -> isUsable(range, address))) {
            return Optional.of("the provided network does not match the current range");
        }
        return used.has(address) ? Optional.of("provided IP is already allocated") : Optional.empty();
    }

    /** A free address of a family. */
    Optional<Ip> next(String family, Set<Ip> taken) {
        for (IpPrefix range : ranges()) {
            if (range.first().family().equals(family)) {
                Optional<Ip> free = next(range, taken);
                if (free.isPresent()) {
                    return free;
                }
            }
        }
        return Optional.empty();
    }

    private Optional<Ip> next(IpPrefix range, Set<Ip> taken) {
        long size = Math.max(
                0, range.size().min(BigInteger.ONE.shiftLeft(SIZE_BITS_MAX)).longValue() - unusable(range));
        OptionalLong free = Band.ofAddresses(size).pick(random, (long) used.addressCount() + taken.size(), offset -> {
            Ip address = address(range, offset);
            return used.has(address) || taken.contains(address);
        });
        return free.isPresent() ? Optional.of(address(range, free.getAsLong())) : Optional.empty();
    }

    private static Ip address(IpPrefix range, long offset) {
        return range.first().plus(BigInteger.valueOf(offset + 1));
    }

    /** The first address, and of IPv4 also the last. */
    private static int unusable(IpPrefix range) {
        return range.first().isIpv6() ? 1 : 2;
    }

    private static boolean isUsable(IpPrefix range, Ip address) {
        boolean last = !address.isIpv6()
                && address.value()
                        .equals(range.first().value().add(range.size()).subtract(BigInteger.ONE));
        return range.contains(address) && !address.equals(range.first()) && !last;
    }

    /** Ranges of ServiceCIDRs that are not being deleted; those of {@code kubernetes} first. */
    private Set<IpPrefix> ranges() {
        List<ObjectNode> objects =
                new ArrayList<>(store.list(Resources.SERVICE_CIDRS, "").objects());
        objects.removeIf(each -> each.path("metadata").has("deletionTimestamp"));
        Set<IpPrefix> ranges = new LinkedHashSet<>();
        for (boolean first : new boolean[] {true, false}) {
            for (ObjectNode object : objects) {
                if (object.path("metadata").path("name").asText().equals("kubernetes") == first) {
                    for (JsonNode cidr : object.path("spec").path("cidrs")) {
                        IpPrefix.parse(cidr.asText()).ifPresent(ranges::add);
                    }
                }
            }
        }
        return ranges;
    }
}
