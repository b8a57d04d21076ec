package dev.nodepath.cni.ipam;

import dev.nodepath.linux.IpAddress;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.locks.LockSupport;

/**
 * Gives out addresses as the host-local plugin does, in the same folders: either may take over from the other, or work beside
 * it. All addresses of a container are taken under one lock, so it has all of them or none.
 */
public final class HostLocalIpam {
    /** How long a command should wait for others to leave a network's folder. A runtime gives a DEL a minute. */
    public static final Duration LOCK_WAIT_MAX = Duration.ofSeconds(30);

    private static final Duration LOCK_PAUSE = Duration.ofMillis(2);

    private final LockFile lockFile;
    private final Duration lockWaitMax;

    /**
     * Address management that excludes others by this kind of lock.
     *
     * @param lockWaitMax how long a command waits for others, such as {@link #LOCK_WAIT_MAX}
     */
    public HostLocalIpam(LockFile lockFile, Duration lockWaitMax) {
        this.lockFile = lockFile;
        this.lockWaitMax = lockWaitMax;
    }

    /**
     * Takes one address out of each range set.
     *
     * @throws AllocationException if the container has an address already or a set is used up; nothing is taken then
     * @throws LockTimeoutException if others hold the network's lock for too long
     */
    public List<RangeSet.Candidate> allocate(IpamConfig config, String network, Attachment attachment)
            throws AllocationException, IOException {
        Path folder = config.dataDir().resolve(network);
        Files.createDirectories(folder);
        LockFile.Held lock = lock(folder);
        try {
            return takeAll(config, new AddressStore(folder), attachment);
        } finally {
            lock.close();
        }
    }

    /** Frees all addresses of a container's interface; none is fine. */
    public void release(IpamConfig config, String network, Attachment attachment) throws IOException {
        Path folder = config.dataDir().resolve(network);
        if (!Files.isDirectory(folder)) {
            return;
        }
        AddressStore store = new AddressStore(folder);
        LockFile.Held lock = lock(folder);
        try {
            List<IpAddress> owned = store.ownedBy(Set.of(attachment.owner()));
            for (IpAddress address : owned.isEmpty() ? store.ownedBy(Set.of(attachment.containerId())) : owned) {
                store.release(address);
            }
        } finally {
            lock.close();
        }
    }

    private static List<RangeSet.Candidate> takeAll(IpamConfig config, AddressStore store, Attachment attachment)
            throws AllocationException, IOException {
        refuseDuplicate(config, store, attachment);
        List<RangeSet.Candidate> taken = new ArrayList<>();
        boolean complete = false;
        try {
            for (int i = 0; i < config.rangeSets().size(); i++) {
                taken.add(take(store, i, config.rangeSets().get(i), attachment));
            }
            complete = true;
            return taken;
        } finally {
            if (!complete) {
                for (RangeSet.Candidate candidate : taken) {
                    store.release(candidate.address().address());
                }
            }
        }
    }

    private static void refuseDuplicate(IpamConfig config, AddressStore store, Attachment attachment)
            throws AllocationException, IOException {
        List<IpAddress> owned = store.ownedBy(Set.of(attachment.owner(), attachment.containerId()));
        for (int i = 0; i < config.rangeSets().size(); i++) {
            for (IpAddress address : owned) {
                if (config.rangeSets().get(i).contains(address)) {
                    throw new AllocationException("failed to allocate for range " + i + ": " + address
                            + " has been allocated to " + attachment.containerId()
                            + ", duplicate allocation is not allowed");
                }
            }
        }
    }

    private static RangeSet.Candidate take(AddressStore store, int index, RangeSet set, Attachment attachment)
            throws AllocationException, IOException {
        Optional<RangeSet.Candidate> found =
                set.firstAfter(store.lastReserved(index), address -> store.reserve(address, attachment.owner()));
        RangeSet.Candidate candidate = found.orElseThrow(() -> new AllocationException(
                "failed to allocate for range " + index + ": no IP addresses available in range set: " + set));
        try {
            store.saveLastReserved(index, candidate.address().address());
        } catch (IOException e) {
            store.release(candidate.address().address());
            throw e;
        }
        return candidate;
    }

    private LockFile.Held lock(Path folder) throws IOException {
        Path file = folder.resolve("lock");
        long deadline = System.nanoTime() + lockWaitMax.toNanos();
        while (true) {
            Optional<LockFile.Held> held = lockFile.tryLock(file);
            if (held.isPresent()) {
                return held.get();
            }
            if (System.nanoTime() - deadline >= 0) {
                throw new LockTimeoutException(file + ": held by others for " + lockWaitMax.toMillis() + " ms");
            }
            LockSupport.parkNanos(LOCK_PAUSE.toNanos());
        }
    }
}
