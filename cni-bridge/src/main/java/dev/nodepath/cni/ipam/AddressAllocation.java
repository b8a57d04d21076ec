package dev.nodepath.cni.ipam;

import dev.nodepath.linux.address.IpAddress;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/** One allocation of an address from each range set, or of none. Used once, with the network's lock held. */
final class AddressAllocation {
    private final IpamConfig config;
    private final AddressStore store;
    private final AttachmentIndex index;
    private final Attachment attachment;
    private final List<IpAddress> owned;
    private final Set<IpAddress> requested;
    private final List<IpAddress> taken = new ArrayList<>();

    /**
     * An allocation.
     *
     * @param owned the addresses that the attachment already has
     */
    AddressAllocation(
            IpamConfig config,
            AddressStore store,
            AttachmentIndex index,
            Attachment attachment,
            List<IpAddress> owned) {
        this.config = config;
        this.store = store;
        this.index = index;
        this.attachment = attachment;
        this.owned = owned;
        this.requested = new LinkedHashSet<>(config.requested());
    }

    Allocation takeAll() throws AllocationException, IOException {
        boolean complete = false;
        try {
            List<RangeSet.Candidate> candidates = new ArrayList<>();
            for (int i = 0; i < config.rangeSets().size(); i++) {
                candidates.add(take(i, config.rangeSets().get(i)));
            }
            if (!requested.isEmpty()) {
                throw new AllocationException("failed to allocate all requested IPs: "
                        + requested.stream().map(IpAddress::toString).collect(Collectors.joining(",")));
            }
            complete = true;
            return new Allocation(candidates, !taken.isEmpty());
        } finally {
            if (!complete) {
                giveBack();
            }
        }
    }

    private void giveBack() throws IOException {
        for (IpAddress address : taken) {
            store.release(address);
        }
        if (owned.isEmpty()) {
            index.remove(attachment);
        } else {
            index.save(attachment, owned);
        }
    }

    private RangeSet.Candidate take(int number, RangeSet set) throws AllocationException, IOException {
        Optional<IpAddress> wanted = firstRequested(set);
        for (IpAddress address : owned) {
            if (set.contains(address) && (wanted.isEmpty() || wanted.get().equals(address))) {
                requested.remove(address);
                return set.candidate(address);
            }
        }
        if (wanted.isPresent()) {
            requested.remove(wanted.get());
            return takeRequested(number, set, wanted.get());
        }
        return takeNext(number, set);
    }

    private Optional<IpAddress> firstRequested(RangeSet set) {
        for (IpAddress address : requested) {
            if (set.contains(address)) {
                return Optional.of(address);
            }
        }
        return Optional.empty();
    }

    private RangeSet.Candidate takeRequested(int number, RangeSet set, IpAddress address)
            throws AllocationException, IOException {
        RangeSet.Candidate candidate = set.candidate(address);
        if (candidate.gateway().equals(address)) {
            throw refusal(number, "requested ip " + address + " is subnet's gateway");
        }
        if (set.excludes(address)) {
            throw refusal(number, "requested ip " + address + " is excluded");
        }
        if (!reserve(number, address)) {
            throw refusal(number, "requested IP address " + address + " is not available in range set " + set);
        }
        return candidate;
    }

    private RangeSet.Candidate takeNext(int number, RangeSet set) throws AllocationException, IOException {
        FreeAddress free = new FreeAddress(store);
        Optional<IpAddress> last = store.lastReserved(number);
        while (true) {
            Optional<RangeSet.Candidate> found = free.next(set, last);
            if (found.isEmpty()) {
                throw refusal(number, "no IP addresses available in range set: " + set);
            }
            IpAddress address = found.get().address().address();
            if (reserve(number, address)) {
                return found.get();
            }
            last = Optional.of(address); // just taken by a program that ignores the lock
        }
    }

    /** Writes the hint first. Without a hint an address file is found only by reading all files. */
    private boolean reserve(int number, IpAddress address) throws IOException {
        List<IpAddress> hints = new ArrayList<>(owned);
        hints.addAll(taken);
        hints.add(address);
        index.save(attachment, hints);
        if (!store.reserve(address, attachment.owner())) {
            return false;
        }
        taken.add(address);
        store.saveLastReserved(number, address);
        return true;
    }

    private static AllocationException refusal(int number, String problem) {
        return new AllocationException("failed to allocate for range " + number + ": " + problem);
    }
}
