package dev.nodepath.cni.ipam;

import dev.nodepath.linux.address.IpAddress;
import dev.nodepath.linux.io.SharedFolder;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NotDirectoryException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.locks.LockSupport;

/**
 * Allocates addresses like the host-local plugin, in the same folders. Both may be used alternately or at the same
 * time. A container gets all of its addresses or none, under one lock.
 */
public final class HostLocalIpam {
    /** How long a command should wait for the lock of a network's folder. A runtime gives a DEL a minute. */
    public static final Duration LOCK_WAIT_MAX = Duration.ofSeconds(30);

    private static final Duration LOCK_PAUSE = Duration.ofMillis(1);

    private final LockFile lockFile;
    private final Duration lockWaitMax;
    private final KeyedLocks<Path> folders = new KeyedLocks<>();

    /**
     * Address management with this kind of lock.
     *
     * @param lockWaitMax how long a command waits for the lock, such as {@link #LOCK_WAIT_MAX}
     */
    public HostLocalIpam(LockFile lockFile, Duration lockWaitMax) {
        this.lockFile = lockFile;
        this.lockWaitMax = lockWaitMax;
    }

    /**
     * Takes one address from each range set. The container keeps an address that it already has.
     *
     * @param thorough whether to read every file for the container's addresses, as needed after another program's ADD
     * @throws AllocationException if a set is used up or a requested address is not available. Nothing is taken then.
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

    /**
     * Tries whether an allocation could use its files. It takes no address and waits for no lock: a folder with a lock
     * held by others is in use.
     *
     * @throws IOException naming the file that stands in the way
     */
    public void tryOut(IpamConfig config, String network) throws IOException {
        Path folder = config.dataDir().resolve(network);
        Path there = folder;
        while (!Files.exists(there, LinkOption.NOFOLLOW_LINKS) && there.getParent() != null) {
            there = there.getParent();
        }
        if (!Files.isDirectory(there)) {
            throw new NotDirectoryException(there.toString());
        }
        if (!there.equals(folder)) {
            StoreFile.tryIn(there);
            return;
        }
        Optional<LockFile.Held> held = lockFile.tryLock(lockOf(folder));
        if (held.isPresent()) {
            try {
                new AddressStore(folder).tryOut(config.rangeSets().size());
                new AttachmentIndex(folder).tryOut();
            } finally {
                held.get().close();
            }
        }
    }

    /** Frees all addresses of a container's interface. Having none is no error. */
    public void release(Path dataDir, String network, Attachment attachment) throws IOException {
        Path folder = dataDir.resolve(network);
        if (!Files.isDirectory(folder)) {
            return;
        }
        lockedQuietly(folder, () -> {
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

    /** The addresses that the other interfaces of a container have. */
    public List<IpAddress> findOfOtherInterfaces(Path dataDir, String network, Attachment attachment)
            throws IOException {
        Path folder = dataDir.resolve(network);
        if (!Files.isDirectory(folder)) {
            return List.of();
        }
        return lockedQuietly(folder, () -> {
            List<IpAddress> addresses = new ArrayList<>();
            for (Map.Entry<IpAddress, String> entry :
                    new AddressStore(folder).owners().entrySet()) {
                if (Attachment.ofOwner(entry.getValue()).isOtherInterfaceOf(attachment)) {
                    addresses.add(entry.getKey());
                }
            }
            return addresses;
        });
    }

    /** Frees all addresses of a network, except those of these attachments. */
    public void releaseAllBut(Path dataDir, String network, Set<Attachment> valid) throws IOException {
        Path folder = dataDir.resolve(network);
        if (!Files.isDirectory(folder)) {
            return;
        }
        lockedQuietly(folder, () -> {
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

    /** An action on the addresses of a network that are in use. */
    @FunctionalInterface
    public interface WithTaken<T> {
        /** Runs the action. */
        T run(Set<IpAddress> taken) throws IOException;
    }

    /** Runs an action with a network's lock held. */
    public <T> T withTaken(Path dataDir, String network, WithTaken<T> work) throws IOException {
        Path folder = dataDir.resolve(network);
        if (!Files.isDirectory(folder)) {
            return work.run(Set.of());
        }
        return lockedQuietly(
                folder, () -> work.run(new AddressStore(folder).owners().keySet()));
    }

    /** The addresses of a network that are in use, by attachment. */
    public Map<Attachment, List<IpAddress>> held(Path dataDir, String network) throws IOException {
        Map<Attachment, List<IpAddress>> held = new HashMap<>();
        Path folder = dataDir.resolve(network);
        if (Files.isDirectory(folder)) {
            Map<IpAddress, String> owners = lockedQuietly(folder, () -> new AddressStore(folder).owners());
            owners.forEach(
                    (address, owner) -> held.computeIfAbsent(Attachment.ofOwner(owner), missing -> new ArrayList<>())
                            .add(address));
        }
        return held;
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

    /** The addresses of the attachment, or of its whole container in very old files. */
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

    /** An action that needs a network's lock. */
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

    /** Takes the lock of this process first, so that only one of its threads polls the file's lock. */
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
            Optional<LockFile.Held> held = lockFile.tryLock(lockOf(folder));
            if (held.isPresent()) {
                return held.get();
            }
            if (System.nanoTime() - deadline >= 0) {
                throw timeout(folder);
            }
            LockSupport.parkNanos(LOCK_PAUSE.toNanos());
        }
    }

    private static Path lockOf(Path folder) {
        return folder.resolve("lock");
    }

    private LockTimeoutException timeout(Path folder) {
        return new LockTimeoutException(lockOf(folder) + ": held by others for " + lockWaitMax.toMillis() + " ms");
    }
}
