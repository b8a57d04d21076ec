package dev.nodepath.agent.routes;

import dev.nodepath.linux.address.Cidr;
import java.util.Optional;
import java.util.TreeSet;
import java.util.stream.Stream;

/** Disjoint networks. The cost of each query is logarithmic in their number. */
final class DisjointCidrs {
    private final TreeSet<Cidr> networks = new TreeSet<>(CidrCover.BY_ADDRESS);

    /**
     * Adds a network unless it overlaps an existing one.
     *
     * @return the network that it overlaps; empty if it was added
     */
    Optional<Cidr> add(Cidr added) {
        Cidr network = added.network();
        // No two networks overlap, so an overlapping one is next to the place of the new one.
        Optional<Cidr> other = Stream.of(
                        Optional.ofNullable(networks.floor(network)), Optional.ofNullable(networks.ceiling(network)))
                .flatMap(Optional::stream)
                .filter(each -> each.overlaps(network))
                .findFirst();
        if (other.isEmpty()) {
            networks.add(network);
        }
        return other;
    }
}
