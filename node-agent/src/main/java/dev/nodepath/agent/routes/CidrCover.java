package dev.nodepath.agent.routes;

import dev.nodepath.linux.address.Cidr;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.TreeSet;

/** The fewest networks that have exactly the addresses of others. */
final class CidrCover {
    static final Comparator<Cidr> BY_ADDRESS = Comparator.comparing((Cidr cidr) -> cidr.family())
            .thenComparing((a, b) ->
                    Long.compareUnsigned(a.address().high(), b.address().high()))
            .thenComparing((a, b) ->
                    Long.compareUnsigned(a.address().low(), b.address().low()))
            .thenComparingInt(Cidr::prefixLength);

    private CidrCover() {}

    /** The podCIDRs of a cluster are mostly neighbours of each other, cut from one network. */
    static List<Cidr> of(Collection<Cidr> networks) {
        TreeSet<Cidr> left = new TreeSet<>(BY_ADDRESS);
        networks.forEach(network -> left.add(network.network()));
        TreeSet<Cidr> cover = new TreeSet<>(BY_ADDRESS);
        while (!left.isEmpty()) {
            Cidr next = left.pollFirst();
            Cidr before = cover.isEmpty() ? null : cover.last();
            if (before != null && before.overlaps(next)) {
                continue;
            }
            if (before != null && areHalves(before, next)) {
                cover.remove(before);
                left.add(parent(next));
            } else {
                cover.add(next);
            }
        }
        return List.copyOf(cover);
    }

    private static boolean areHalves(Cidr one, Cidr other) {
        return one.family() == other.family()
                && one.prefixLength() == other.prefixLength()
                && one.prefixLength() > 0
                && parent(one).equals(parent(other));
    }

    private static Cidr parent(Cidr half) {
        return new Cidr(half.address(), half.prefixLength() - 1).network();
    }
}
