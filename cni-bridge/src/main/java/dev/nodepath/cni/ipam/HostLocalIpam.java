package dev.nodepath.cni.ipam;

import dev.nodepath.linux.address.IpAddress;
import dev.nodepath.linux.io.SharedFolder;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
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

    private static final Duration LOCK_PAUSE = Duration.ofMillis(1);

    private final LockFile lockFile;
    private final Duration lockWaitMax;
    private final KeyedLocks<Path> folders = new KeyedLocks<>();

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
     * Takes one address out of each range set; one that the container has of a set already is kept.
     *
     * @param thorough whether to look for the container's addresses in every file, as after another program's ADD
     * @throws AllocationException if a set is used up or a requested address cannot be had; nothing is taken then
     * @throws LockTimeoutException if others hold the network's lock for too long
     */
    public Allocation allocate(IpamConfig config, String network, Attachment attachment, boolean thorough)
            throws AllocationException, IOException {
        Path folder = config.dataDir().resolve(network);
        SharedFolder.make(folder);
        return locked(folder, () -> {
            AddressStore store = new AddressStore(folder);
            AttachmentIndex index = new AttachmentIndex(folder);
            List<IpAddress> owned = owned(store, index, attachment);
            if (owned.isEmpty() && thorough) {
                owned = searched(store, attachment);
            }
            return new AddressAllocation(config, store, index, attachment, owned).takeAll();
        });
    }

    /** Frees all addresses of a container's interface; none is fine. */
    public void release(Path dataDir, String network, Attachment attachment) throws IOException {
        Path folder = dataDir.resolve(network);
        if (!Files.isDirectory(folder)) {
            return;
        }
        int unused = lockedQuietly(folder, () -> {
            AddressStore store = new AddressStore(folder);
            AttachmentIndex index = new AttachmentIndex(folder);
            List<IpAddress> owned = owned(store, index, attachment);
            for (IpAddress address : owned.isEmpty() ? searched(store, attachment) : owned) {
                store.release(address);
            }
            index.remove(attachment);
            return owned.size();
        });
    }

    /** The addresses that a container's interface has. */
    public List<IpAddress> find(Path dataDir, String network, Attachment attachment) throws IOException {
        Path folder = dataDir.resolve(network);
        if (!Files.isDirectory(folder)) {
            return List.of();
        }
        return lockedQuietly(folder, () -> {
            AddressStore store = new AddressStore(folder);
            List<IpAddress> owned = owned(store, new AttachmentIndex(folder), attachment);
            return owned.isEmpty() ? searched(store, attachment) : owned;
        });
    }

    /** Frees all addresses of a network but those of these attachments. */
    public void releaseAllBut(Path dataDir, String network, Set<Attachment> valid) throws IOException {
        Path folder = dataDir.resolve(network);
        if (!Files.isDirectory(folder)) {
            return;
        }
        int unused = lockedQuietly(folder, () -> {
            AddressStore store = new AddressStore(folder);
            Set<String> validOwners = new HashSet<>();
            for (Attachment attachment : valid) {
                validOwners.add(attachment.owner());
                validOwners.add(attachment.containerId());
            }
            Map<IpAddress, String> owners = store.owners();
            for (Map.Entry<IpAddress, String> entry : owners.entrySet()) {
                if (!validOwners.contains(entry.getValue())) {
                    store.release(entry.getKey());
                }
            }
            AttachmentIndex index = new AttachmentIndex(folder);
            for (Attachment attachment : index.attachments()) {
                if (!valid.contains(attachment)) {
                    index.remove(attachment);
                }
            }
            return owners.size();
        });
    }

    /** What is done with the addresses of a network that are in use. */
    @FunctionalInterface
    public interface WithTaken<T> {
        /** Does it. */
        T run(Set<IpAddress> taken) throws IOException;
    }

    /** Does something while nobody takes or frees an address of a network. */
    public <T> T withTaken(Path dataDir, String network, WithTaken<T> work) throws IOException {
        Path folder = dataDir.resolve(network);
        if (!Files.isDirectory(folder)) {
            return work.run(Set.of());
        }
        return lockedQuietly(
                folder, () -> work.run(new AddressStore(folder).owners().keySet()));
    }

    /** All attachments of a network that have an address or may have had one. */
    public Set<Attachment> attachments(Path dataDir, String network) throws IOException {
        Path folder = dataDir.resolve(network);
        if (!Files.isDirectory(folder)) {
            return Set.of();
        }
        return lockedQuietly(folder, () -> {
            Set<Attachment> attachments = new HashSet<>(new AttachmentIndex(folder).attachments());
            for (String owner : new AddressStore(folder).owners().values()) {
                attachments.add(Attachment.ofOwner(owner));
            }
            return attachments;
        });
    }

    private static List<IpAddress> owned(AddressStore store, AttachmentIndex index, Attachment attachment)
            throws IOException {
        List<IpAddress> owned = new ArrayList<>();
        for (IpAddress address : index.addresses(attachment)) {
            if (store.owner(address).equals(attachment.owner())) {
                owned.add(address);
            }
        }
        return owned;
    }

    /** The addresses of the attachment, or else those of its whole container in the way of very old files. */
    private static List<IpAddress> searched(AddressStore store, Attachment attachment) throws IOException {
        List<IpAddress> exact = new ArrayList<>();
        List<IpAddress> legacy = new ArrayList<>();
        for (Map.Entry<IpAddress, String> entry : store.owners().entrySet()) {
            if (entry.getValue().equals(attachment.owner())) {
                exact.add(entry.getKey());
            } else if (attachment.isOwner(entry.getValue())) {
                legacy.add(entry.getKey());
            }
        }
        return exact.isEmpty() ? legacy : exact;
    }

    /** What is done with a network's lock held. */
    private interface Work<T> {
        T run() throws AllocationException, IOException;
    }

    private <T> T lockedQuietly(Path folder, Work<T> work) throws IOException {
        try {
            return locked(folder, work);
        } catch (AllocationException e) {
            throw new IllegalStateException("nothing was to be allocated", e);
        }
    }

    /** First among the threads of this process, so that only one of them has to ask for the file's lock again and again. */
    private <T> T locked(Path folder, Work<T> work) throws AllocationException, IOException {
        long deadline = System.nanoTime() + lockWaitMax.toNanos();
        KeyedLocks.Held threads = folders.lock(folder, lockWaitMax).orElseThrow(() -> timeout(folder));
        try {
            LockFile.Held programs = lock(folder, deadline);
            try {
                return work.run();
            } finally {
                programs.close();
            }
        } finally {
            threads.close();
        }
    }

    private LockFile.Held lock(Path folder, long deadline) throws IOException {
        while (true) {
            Optional<LockFile.Held> held = lockFile.tryLock(folder.resolve("lock"));
            if (held.isPresent()) {
                return held.get();
            }
            if (System.nanoTime() - deadline >= 0) {
                throw timeout(folder);
            }
            LockSupport.parkNanos(LOCK_PAUSE.toNanos());
        }
    }

    private LockTimeoutException timeout(Path folder) {
        return new LockTimeoutException(
                folder.resolve("lock") + ": held by others for " + lockWaitMax.toMillis() + " ms");
    }
}
