package dev.nodepath.cni.ipam;

import dev.nodepath.linux.address.Cidr;
import dev.nodepath.linux.address.IpAddress;
import dev.nodepath.linux.address.IpFamily;
import java.io.IOException;
import java.util.List;
import java.util.Optional;

/** Alternative ranges of one family. A container gets one address from them. */
public record RangeSet(List<AddressRange> ranges) {

    /** Makes the checks of host-local, with its messages. */
    public RangeSet {
        ranges = List.copyOf(ranges);
        if (ranges.isEmpty()) {
            throw new IllegalArgumentException("empty range set");
        }
        for (int i = 0; i < ranges.size(); i++) {
            AddressRange range = ranges.get(i);
            if (range.subnet().family() != ranges.get(0).subnet().family()) {
                throw new IllegalArgumentException("mixed address families");
            }
            for (AddressRange earlier : ranges.subList(0, i)) {
                if (earlier.overlaps(range)) {
                    throw new IllegalArgumentException("subnets " + earlier + " and " + range + " overlap");
                }
            }
        }
    }

    /** The family of all its addresses. */
    public IpFamily family() {
        return ranges.get(0).subnet().family();
    }

    /** Whether one of the ranges has the address. */
    public boolean contains(IpAddress address) {
        return indexOf(address) >= 0;
    }

    /** Whether the two sets have an address in common. */
    public boolean overlaps(RangeSet other) {
        for (AddressRange range : ranges) {
            for (AddressRange theirs : other.ranges) {
                if (range.overlaps(theirs)) {
                    return true;
                }
            }
        }
        return false;
    }

    /** An address with its network's prefix length, and the gateway of its range. */
    public record Candidate(Cidr address, IpAddress gateway) {}

    /** Whether an address of the set is excluded. */
    public boolean excludes(IpAddress address) {
        return ranges.get(indexOf(address)).excludes(address);
    }

    /** An address of the set as a candidate. */
    public Candidate candidate(IpAddress address) {
        AddressRange range = ranges.get(indexOf(address));
        return new Candidate(new Cidr(address, range.subnet().prefixLength()), range.gateway());
    }

    /** Accepts or rejects an address. */
    @FunctionalInterface
    public interface Choice {
        /** Whether to take the address. */
        boolean accepts(IpAddress address) throws IOException;
    }

    /**
     * Offers every address once until one is accepted, without gateways and excluded addresses. It starts after {@code
     * last}, continues with the next ranges, and ends with {@code last}. If {@code last} is outside the set, it starts
     * at the first range.
     */
    public Optional<Candidate> firstAfter(Optional<IpAddress> last, Choice choice) throws IOException {
        int start = last.isPresent() ? indexOf(last.get()) : -1;
        Position first = start < 0 ? startOf(0) : next(new Position(start, last.get()));
        Position position = first;
        do {
            AddressRange range = ranges.get(position.range);
            if (!position.address.equals(range.gateway()) && choice.accepts(position.address)) {
                Cidr address = new Cidr(position.address, range.subnet().prefixLength());
                return Optional.of(new Candidate(address, range.gateway()));
            }
            position = next(position);
        } while (position.range != first.range || !position.address.equals(first.address));
        return Optional.empty();
    }

    /** The ranges in the format of host-local's messages. */
    @Override
    public String toString() {
        StringBuilder text = new StringBuilder();
        for (AddressRange range : ranges) {
            text.append(text.isEmpty() ? "" : ",").append(range);
        }
        return text.toString();
    }

    private record Position(int range, IpAddress address) {}

    private Position next(Position position) {
        AddressRange range = ranges.get(position.range);
        Optional<IpAddress> following =
                position.address.equals(range.end()) ? Optional.empty() : range.firstFrom(position.address.plus(1));
        return following.isPresent()
                ? new Position(position.range, following.get())
                : startOf((position.range + 1) % ranges.size());
    }

    /** Checks that each range has an address that is not excluded. */
    private Position startOf(int number) {
        AddressRange range = ranges.get(number);
        return new Position(number, range.firstFrom(range.start()).orElseThrow());
    }

    private int indexOf(IpAddress address) {
        for (int i = 0; i < ranges.size(); i++) {
            if (ranges.get(i).contains(address)) {
                return i;
            }
        }
        return -1;
    }
}
