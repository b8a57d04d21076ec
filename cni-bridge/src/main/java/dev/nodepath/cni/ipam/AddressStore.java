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
 * The folder of one network, laid out as host-local's disk backend does it: a file per address, named by the address, that
 * holds {@code CONTAINER-ID CR LF IFNAME}; {@code last_reserved_ip.N} holds the address that range set N gave last; and
 * {@code lock}. Every call is made with that lock held.
 *
 * <p>A file with an owner appears under its address complete or not at all. So an address file without content is what
 * another program left when it was killed between creating and writing; as it would have held the lock, nobody is behind
 * it any more and its address counts as free.
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
     * @return false if somebody has it
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
            return false; // by a program that does not heed the lock
        }
    }

    /** Whether an address has an owner, or something is in its file's place that is none of ours. */
    boolean isTaken(IpAddress address) throws IOException {
        Path file = file(address);
        return Files.exists(file, NOFOLLOW_LINKS)
                && !(Files.isRegularFile(file, NOFOLLOW_LINKS) && Files.size(file) == 0);
    }

    /** The names of everything in the folder, addresses that are taken among them. */
    Set<String> names() throws IOException {
        Set<String> names = new HashSet<>();
        try (DirectoryStream<Path> files = Files.newDirectoryStream(folder)) {
            for (Path file : files) {
                names.add(file.getFileName().toString());
            }
        }
        return names;
    }

    /** Who owns an address; empty if nobody does. */
    String owner(IpAddress address) {
        return ownerOf(file(address));
    }

    /** The address that a range set gave last; empty if it is not known. */
    Optional<IpAddress> lastReserved(int rangeSet) throws IOException {
        try {
            return StoreFile.address(StoreFile.read(folder.resolve(LAST_RESERVED + rangeSet)));
        } catch (NoSuchFileException e) {
            return Optional.empty();
        }
    }

    /** Remembers the address that a range set gave last. Losing it costs nothing but the round robin's place. */
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

    /** Frees an address; one that is free is fine. */
    void release(IpAddress address) throws IOException {
        Files.deleteIfExists(file(address));
    }

    private Path file(IpAddress address) {
        return folder.resolve(address.toString());
    }

    /** What an address file says; empty for what is no readable file of ours, which must not hinder the others. */
    private static String ownerOf(Path file) {
        try {
            return Files.isRegularFile(file) ? StoreFile.read(file) : "";
        } catch (IOException e) {
            return "";
        }
    }
}
