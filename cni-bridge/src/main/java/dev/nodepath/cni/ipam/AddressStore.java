package dev.nodepath.cni.ipam;

import static java.nio.file.LinkOption.NOFOLLOW_LINKS;

import dev.nodepath.linux.address.IpAddress;
import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;

/**
 * The folder of one network, in the format of host-local's disk backend. A file named by each address holds {@code
 * CONTAINER-ID CR LF IFNAME}. {@code last_reserved_ip.N} holds the last address of range set N. {@code lock} is the
 * lock file. Every call needs the lock.
 *
 * <p>A file with an owner appears complete or not at all. An empty address file is a leftover of another program that
 * was killed between creating and writing it. That program held the lock, so it no longer runs, and the address counts
 * as free.
 */
final class AddressStore {
    private static final String LAST_RESERVED = "last_reserved_ip.";

    private final Path folder;

    AddressStore(Path folder) {
        this.folder = folder;
    }

    /**
     * Takes an address for an owner.
     *
     * @return false if it is taken
     */
    boolean reserve(IpAddress address, String owner) throws IOException {
        Path file = file(address);
        if (isTaken(address)) {
            return false;
        }
        try {
            Files.deleteIfExists(file);
            StoreFile.create(file, owner);
            return true;
        } catch (FileAlreadyExistsException e) {
            return false; // by a program that ignores the lock
        }
    }

    /** Whether an address has an owner, or a file of another kind has its name. */
    boolean isTaken(IpAddress address) throws IOException {
        Path file = file(address);
        return Files.exists(file, NOFOLLOW_LINKS)
                && !(Files.isRegularFile(file, NOFOLLOW_LINKS) && Files.size(file) == 0);
    }

    /** The names of all files in the folder. They include the taken addresses. */
    Set<String> names() throws IOException {
        Set<String> names = new HashSet<>();
        try (DirectoryStream<Path> files = Files.newDirectoryStream(folder)) {
            for (Path file : files) {
                names.add(file.getFileName().toString());
            }
        }
        return names;
    }

    /** The owner of an address; empty if it is free. */
    String owner(IpAddress address) {
        return ownerOf(file(address));
    }

    /** The last address of a range set; empty if unknown. */
    Optional<IpAddress> lastReserved(int rangeSet) throws IOException {
        try {
            return StoreFile.address(StoreFile.read(folder.resolve(LAST_RESERVED + rangeSet)));
        } catch (NoSuchFileException e) {
            return Optional.empty();
        }
    }

    /** Tries whether addresses of this many range sets can be reserved. */
    void tryOut(int rangeSets) throws IOException {
        for (int i = 0; i < rangeSets; i++) {
            lastReserved(i);
        }
        StoreFile.tryIn(folder);
    }

    /** Stores the last address of a range set. If it is lost, the round robin starts again. */
    void saveLastReserved(int rangeSet, IpAddress address) throws IOException {
        StoreFile.replace(folder.resolve(LAST_RESERVED + rangeSet), address.toString());
    }

    /** The owners of all addresses. This reads every address file. */
    Map<IpAddress, String> owners() throws IOException {
        Map<IpAddress, String> owners = new TreeMap<>();
        for (String name : names()) {
            Optional<IpAddress> address = StoreFile.address(name);
            String owner = address.isPresent() ? ownerOf(folder.resolve(name)) : "";
            if (address.isPresent() && !owner.isEmpty()) {
                owners.put(address.get(), owner);
            }
        }
        return owners;
    }

    /** Frees an address. A free address is no error. */
    void release(IpAddress address) throws IOException {
        Files.deleteIfExists(file(address));
    }

    private Path file(IpAddress address) {
        return folder.resolve(address.toString());
    }

    /**
     * The owner in an address file. Empty if the file is not readable or not an address file, so that it does not block
     * the others.
     */
    private static String ownerOf(Path file) {
        try {
            return Files.isRegularFile(file) ? StoreFile.read(file) : "";
        } catch (IOException e) {
            return "";
        }
    }
}
