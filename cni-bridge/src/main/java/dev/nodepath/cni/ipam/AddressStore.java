package dev.nodepath.cni.ipam;

import static java.nio.file.LinkOption.NOFOLLOW_LINKS;

import dev.nodepath.linux.IpAddress;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;

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
    /** An owner is two names of at most 255 characters; a longer file is somebody else's, in bytes. */
    private static final int OWNER_BYTES_MAX = 1024;

    private static final String LAST_RESERVED = "last_reserved_ip.";

    /** Where a file is written before it gets its name. The lock makes one name enough, so a crash leaves at most one. */
    private static final String UNFINISHED = ".unfinished";

    private static final FileAttribute<Set<PosixFilePermission>> PRIVATE =
            PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------"));

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
        Path file = folder.resolve(address.toString());
        if (isTaken(file)) {
            return false;
        }
        // On the disk before it has its name: the name may be lost in a power failure, as the container is, but never
        // the
        // content alone.
        Path unfinished = folder.resolve(UNFINISHED);
        try {
            write(unfinished, owner, true);
            Files.deleteIfExists(file);
            Files.createLink(file, unfinished);
            return true;
        } catch (FileAlreadyExistsException e) {
            return false; // by a program that does not heed the lock
        } finally {
            Files.deleteIfExists(unfinished);
        }
    }

    /** The address that a range set gave last; empty if it is not known. */
    Optional<IpAddress> lastReserved(int rangeSet) throws IOException {
        try {
            return address(read(folder.resolve(LAST_RESERVED + rangeSet)));
        } catch (NoSuchFileException e) {
            return Optional.empty();
        }
    }

    /** Remembers the address that a range set gave last. Losing it costs nothing but the round robin's place. */
    void saveLastReserved(int rangeSet, IpAddress address) throws IOException {
        Path unfinished = folder.resolve(UNFINISHED);
        write(unfinished, address.toString(), false);
        Files.move(unfinished, folder.resolve(LAST_RESERVED + rangeSet), StandardCopyOption.ATOMIC_MOVE);
    }

    /** The addresses of any of these owners. This reads every address file. */
    List<IpAddress> ownedBy(Set<String> owners) throws IOException {
        List<IpAddress> owned = new ArrayList<>();
        try (DirectoryStream<Path> files = Files.newDirectoryStream(folder)) {
            for (Path file : files) {
                Optional<IpAddress> address = address(file.getFileName().toString());
                if (address.isPresent() && owners.contains(ownerOf(file))) {
                    owned.add(address.get());
                }
            }
        }
        return owned;
    }

    /** Frees an address; one that is free is fine. */
    void release(IpAddress address) throws IOException {
        Files.deleteIfExists(folder.resolve(address.toString()));
    }

    private static boolean isTaken(Path file) throws IOException {
        return Files.exists(file, NOFOLLOW_LINKS)
                && !(Files.isRegularFile(file, NOFOLLOW_LINKS) && Files.size(file) == 0);
    }

    /** Never into a file that a crash left: it may be a second name of an address file by then. */
    private static void write(Path unfinished, String content, boolean sync) throws IOException {
        Files.deleteIfExists(unfinished);
        Set<StandardOpenOption> options = Set.of(StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE);
        try (FileChannel channel = FileChannel.open(unfinished, options, PRIVATE)) {
            ByteBuffer bytes = ByteBuffer.wrap(content.getBytes(StandardCharsets.UTF_8));
            while (bytes.hasRemaining()) {
                channel.write(bytes);
            }
            if (sync) {
                channel.force(true);
            }
        }
    }

    /** What an address file says; empty for what is no readable file of ours, which must not hinder the others. */
    private static String ownerOf(Path file) {
        try {
            return Files.isRegularFile(file) ? read(file) : "";
        } catch (IOException e) {
            return "";
        }
    }

    private static String read(Path file) throws IOException {
        try (InputStream in = Files.newInputStream(file)) {
            byte[] bytes = in.readNBytes(OWNER_BYTES_MAX + 1);
            return bytes.length > OWNER_BYTES_MAX ? "" : new String(bytes, StandardCharsets.UTF_8).strip();
        }
    }

    private static Optional<IpAddress> address(String text) {
        try {
            return Optional.of(IpAddress.parse(text));
        } catch (IllegalArgumentException e) {
            return Optional.empty();
        }
    }
}
