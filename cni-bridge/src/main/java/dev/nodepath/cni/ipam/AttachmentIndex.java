package dev.nodepath.cni.ipam;

import dev.nodepath.linux.address.IpAddress;
import dev.nodepath.linux.io.SharedFolder;
import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NotDirectoryException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * An index of the addresses of each attachment, so that a lookup need not read every address file. The folder {@code
 * .attachments} has a file for each attachment with one address per line. It is only a hint, unknown to host-local: the
 * address files decide. It is written before the address files and removed after them, so a crash leaves at most a
 * needless hint.
 */
final class AttachmentIndex {
    private static final String FOLDER = ".attachments";

    private final Path folder;

    AttachmentIndex(Path network) {
        this.folder = network.resolve(FOLDER);
    }

    /** The addresses that the attachment may own. */
    List<IpAddress> addresses(Attachment attachment) throws IOException {
        List<IpAddress> addresses = new ArrayList<>();
        Optional<Path> file = file(attachment);
        if (file.isPresent() && Files.isRegularFile(file.get())) {
            try {
                for (String line : StoreFile.read(file.get()).split("\n", -1)) {
                    StoreFile.address(line).ifPresent(addresses::add);
                }
            } catch (IOException e) {
                return List.of(); // no hint
            }
        }
        return addresses;
    }

    /** Replaces the addresses of an attachment. */
    void save(Attachment attachment, List<IpAddress> addresses) throws IOException {
        Optional<Path> file = file(attachment);
        if (file.isPresent()) {
            SharedFolder.make(folder);
            StringBuilder lines = new StringBuilder();
            for (IpAddress address : addresses) {
                lines.append(address).append('\n');
            }
            StoreFile.replace(file.get(), lines.toString());
        }
    }

    /** Removes an attachment. An unknown one is no error. */
    void remove(Attachment attachment) throws IOException {
        Optional<Path> file = file(attachment);
        // A read-only file system must not fail a DEL that has nothing to do. Another kind of file is not ours.
        if (file.isPresent() && Files.isRegularFile(file.get())) {
            Files.deleteIfExists(file.get());
        }
    }

    /** Tries whether hints can be written. */
    void tryOut() throws IOException {
        if (Files.isDirectory(folder)) {
            StoreFile.tryIn(folder);
        } else if (Files.exists(folder, LinkOption.NOFOLLOW_LINKS)) {
            throw new NotDirectoryException(folder.toString());
        }
    }

    List<Attachment> attachments() throws IOException {
        List<Attachment> attachments = new ArrayList<>();
        if (Files.isDirectory(folder)) {
            try (DirectoryStream<Path> files = Files.newDirectoryStream(folder)) {
                for (Path file : files) {
                    String name = file.getFileName().toString();
                    int colon = name.indexOf(':');
                    if (colon > 0) {
                        attachments.add(new Attachment(name.substring(0, colon), name.substring(colon + 1)));
                    }
                }
            }
        }
        return attachments;
    }

    private Optional<Path> file(Attachment attachment) {
        return attachment.fileName().map(folder::resolve);
    }
}
