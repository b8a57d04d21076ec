package dev.nodepath.cni.ipam;

import dev.nodepath.linux.address.IpAddress;
import dev.nodepath.linux.io.RegularFile;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Optional;
import java.util.Set;

/** Small text files that appear complete or not at all. Every call but {@link #tryIn} needs the network's lock. */
final class StoreFile {
    /** The limit of a file, in bytes. An owner is two names of at most 255 characters, so a longer file is not ours. */
    private static final int BYTES_MAX = 1024;

    /** The temporary name of a new file. The lock makes one name enough, so a crash leaves at most one file. */
    private static final String UNFINISHED = ".unfinished";

    private static final FileAttribute<Set<PosixFilePermission>> PRIVATE =
            PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------"));

    private StoreFile() {}

    /** The text without surrounding white space. Empty for a file that is too long. */
    static String read(Path file) throws IOException {
        byte[] bytes = RegularFile.read(file, BYTES_MAX + 1);
        return bytes.length > BYTES_MAX ? "" : new String(bytes, StandardCharsets.UTF_8).strip();
    }

    /** Tries whether a file can be written in a folder, and leaves none. */
    static void tryIn(Path folder) throws IOException {
        Path unfinished = folder.resolve(UNFINISHED);
        try {
            write(unfinished, "STATUS\n", false);
        } catch (FileAlreadyExistsException e) {
            return; // a folder without a lock, in which another STATUS has just written
        }
        Files.deleteIfExists(unfinished);
    }

    /**
     * Creates a file. The content is on the disk before the file gets its name. So a power failure may lose the whole
     * file, but not the content alone.
     *
     * @throws java.nio.file.FileAlreadyExistsException if there is one
     */
    static void create(Path file, String content) throws IOException {
        Path unfinished = file.resolveSibling(UNFINISHED);
        try {
            write(unfinished, content, true);
            Files.createLink(file, unfinished);
        } finally {
            Files.deleteIfExists(unfinished);
        }
    }

    /** Makes a file or replaces it. */
    static void replace(Path file, String content) throws IOException {
        Path unfinished = file.resolveSibling(UNFINISHED);
        write(unfinished, content, false);
        Files.move(unfinished, file, StandardCopyOption.ATOMIC_MOVE);
    }

    /** Parses an address; empty if the text is none. */
    static Optional<IpAddress> address(String text) {
        // Avoids an exception for each name that is no address.
        if (text.isEmpty() || (Character.digit(text.charAt(0), 16) < 0 && text.charAt(0) != ':')) {
            return Optional.empty();
        }
        try {
            return Optional.of(IpAddress.parse(text));
        } catch (IllegalArgumentException e) {
            return Optional.empty();
        }
    }

    /** Never writes into a leftover file: it may be a second name of an address file. */
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
        } catch (IOException e) {
            Files.deleteIfExists(unfinished);
            throw RegularFile.named(unfinished, e);
        }
    }
}
