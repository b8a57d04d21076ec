package dev.nodepath.cni.ipam;

import dev.nodepath.linux.address.IpAddress;
import java.io.IOException;
import java.util.HashSet;
import java.util.Optional;
import java.util.Set;

/**
 * Finds the next free address of a range set. It probes the first addresses one by one, which suffices in a folder with
 * room. If many addresses in a row are taken, it reads the names of all files once.
 */
final class FreeAddress {
    /** The probes before the folder is listed. Reading 10,000 names takes as long as some 200 probes. */
    private static final int PROBES_MAX = 64;

    private final AddressStore store;
    private final Set<IpAddress> left = new HashSet<>();
    private Set<String> names = Set.of();
    private int probes;

    FreeAddress(AddressStore store) {
        this.store = store;
    }

    /** The next one after {@code last}; empty if all are taken. */
    Optional<RangeSet.Candidate> next(RangeSet set, Optional<IpAddress> last) throws IOException {
        Optional<RangeSet.Candidate> found = set.firstAfter(last, this::isFree);
        // Leftovers of killed programs have a name and no content. They are used only when nothing else is free.
        return found.isPresent() || left.isEmpty() ? found : set.firstAfter(last, this::isLeftOver);
    }

    private boolean isFree(IpAddress address) throws IOException {
        probes++;
        if (probes <= PROBES_MAX) {
            return !store.isTaken(address);
        }
        if (names.isEmpty()) {
            names = store.names();
        }
        boolean named = names.contains(address.toString());
        if (named) {
            left.add(address);
        }
        return !named;
    }

    private boolean isLeftOver(IpAddress address) throws IOException {
        return left.contains(address) && !store.isTaken(address);
    }
}
