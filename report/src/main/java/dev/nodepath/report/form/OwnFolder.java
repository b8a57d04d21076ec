package dev.nodepath.report.form;

import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.channels.SeekableByteChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemLoopException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.nio.file.SecureDirectoryStream;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributeView;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFileAttributeView;
import java.nio.file.attribute.PosixFileAttributes;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.nio.file.attribute.UserPrincipal;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Optional;
import java.util.Set;

/**
 * A folder that belongs to this user and that other users cannot change. It is opened once and checked by its
 * descriptor. All its files are reached through that descriptor, and no link is followed.
 */
public final class OwnFolder implements AutoCloseable {
    private static final int STICKY = 01000;
    private static final int LINKS_MAX = 40;

    private final Path path;
    private final Access access;
    private final SecureDirectoryStream<Path> folder;

    /** Other users' access to the files. */
    public enum Access {
        /** None: mode 0700. Other users also cannot put another folder at its path. */
        PRIVATE("rwx------", "rw-------"),
        /** Read access for all: mode 0755. */
        READABLE("rwxr-xr-x", "rw-r--r--");

        private final String folder;
        private final String file;

        Access(String folder, String file) {
            this.folder = folder;
            this.file = file;
        }

        private FileAttribute<?> newFolder() {
            return PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString(folder));
        }

        private FileAttribute<?> newFile() {
            return PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString(file));
        }
    }

    /** Other users could change the folder. The message has the folder, its present state and the expected one. */
    public static final class RefusedException extends IOException {
        private static final long serialVersionUID = 1L;

        private RefusedException(Path path, String what, String expected) {
            super(path + ": " + what + " (expected: " + expected + ")");
        }
    }

    private OwnFolder(Path path, Access access, SecureDirectoryStream<Path> folder) {
        this.path = path;
        this.access = access;
        this.folder = folder;
    }

    /**
     * Opens a folder; makes it and its parents if they are missing.
     *
     * @throws RefusedException if other users could change it
     */
    public static OwnFolder make(Path path, Access access) throws IOException {
        Path absolute = path.toAbsolutePath();
        Path parent = absolute.getParent();
        if (parent != null && !Files.isDirectory(parent)) {
            Files.createDirectories(parent, access.newFolder());
        }
        try {
            Files.createDirectory(absolute, access.newFolder());
        } catch (FileAlreadyExistsException e) {
            // An existing folder is checked while it is opened.
            return open(path, access);
        }
        return open(path, access);
    }

    /**
     * Opens a folder.
     *
     * @throws NoSuchFileException if there is none
     * @throws RefusedException if other users could change it
     */
    @SuppressWarnings("StreamResourceLeak") // the folder closes it
    public static OwnFolder open(Path path, Access access) throws IOException {
        Path absolute = path.toAbsolutePath();
        PosixFileAttributes named = attributes(absolute);
        if (!named.isDirectory()) {
            throw new RefusedException(path, named.isSymbolicLink() ? "a link" : "no folder", "a folder of yours");
        }
        if (access == Access.PRIVATE) {
            requireSafeWay(absolute);
        }
        // Another user's folder may not even be readable.
        requireOwner(path, named);
        OwnFolder opened = new OwnFolder(path, access, secure(path, Files.newDirectoryStream(absolute)));
        try {
            opened.requireOwn(named.fileKey());
            return opened;
        } catch (IOException e) {
            opened.close();
            throw e;
        }
    }

    /** A folder in it; a missing one is made. */
    OwnFolder child(String name) throws IOException {
        try {
            Files.createDirectory(path.resolve(name), access.newFolder());
        } catch (FileAlreadyExistsException e) {
            // An existing folder is checked below.
        }
        OwnFolder opened = new OwnFolder(
                path.resolve(name),
                access,
                secure(path, folder.newDirectoryStream(Path.of(name), LinkOption.NOFOLLOW_LINKS)));
        try {
            opened.requireOwn(opened.attributes().fileKey());
            return opened;
        } catch (IOException e) {
            opened.close();
            throw e;
        }
    }

    /** Its path. */
    public Path path() {
        return path;
    }

    /** The time of a file's last change; empty if there is none. */
    Optional<Instant> changed(String name) throws IOException {
        try {
            return Optional.of(
                    folder.getFileAttributeView(Path.of(name), BasicFileAttributeView.class, LinkOption.NOFOLLOW_LINKS)
                            .readAttributes()
                            .lastModifiedTime()
                            .toInstant());
        } catch (NoSuchFileException e) {
            return Optional.empty();
        }
    }

    /**
     * Reads a file.
     *
     * @return empty if there is none
     * @throws IOException also if it is a link
     */
    public Optional<String> read(String name) throws IOException {
        Set<OpenOption> options = Set.of(StandardOpenOption.READ, LinkOption.NOFOLLOW_LINKS);
        try (SeekableByteChannel channel = folder.newByteChannel(Path.of(name), options);
                InputStream in = Channels.newInputStream(channel)) {
            return Optional.of(new String(in.readAllBytes(), StandardCharsets.UTF_8));
        } catch (NoSuchFileException e) {
            return Optional.empty();
        }
    }

    /** Writes a file; it atomically replaces an older file or link of this name. */
    void replace(String name, byte[] content) throws IOException {
        String unfinished = "." + name + ".new";
        delete(unfinished);
        try {
            Set<OpenOption> options = Set.of(StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE);
            try (SeekableByteChannel channel = folder.newByteChannel(Path.of(unfinished), options, access.newFile())) {
                ByteBuffer bytes = ByteBuffer.wrap(content);
                while (bytes.hasRemaining()) {
                    channel.write(bytes);
                }
            }
            move(unfinished, this, name);
        } finally {
            delete(unfinished);
        }
    }

    /** As {@link #replace(String, byte[])}, in UTF-8. */
    public void replace(String name, String content) throws IOException {
        replace(name, content.getBytes(StandardCharsets.UTF_8));
    }

    /** Moves a file or link; it replaces another of the new name. */
    void move(String name, OwnFolder to, String newName) throws IOException {
        folder.move(Path.of(name), to.folder, Path.of(newName));
    }

    /** Deletes a file or link. A missing one is no error. */
    public void delete(String name) throws IOException {
        try {
            folder.deleteFile(Path.of(name));
        } catch (NoSuchFileException e) {
            return;
        }
    }

    @Override
    public void close() throws IOException {
        folder.close();
    }

    private PosixFileAttributes attributes() throws IOException {
        return folder.getFileAttributeView(PosixFileAttributeView.class).readAttributes();
    }

    /**
     * @param key of the file or folder
     */
    private void requireOwn(Object key) throws IOException {
        PosixFileAttributes opened = attributes();
        if (!opened.fileKey().equals(key)) {
            throw new RefusedException(path, "became another folder", "a folder that nobody else changes");
        }
        requireOwner(path, opened);
        String mode = PosixFilePermissions.toString(opened.permissions());
        boolean fits = access == Access.PRIVATE ? mode.equals(access.folder) : !othersWrite(opened, user());
        if (!fits) {
            throw new RefusedException(
                    path, "mode " + mode, access.folder + "; others may have put files there: look, and remove it");
        }
    }

    private static void requireOwner(Path path, PosixFileAttributes folder) throws IOException {
        UserPrincipal user = user();
        if (!folder.owner().equals(user)) {
            throw new RefusedException(path, "belongs to " + folder.owner().getName(), "a folder of " + user.getName());
        }
    }

    private static SecureDirectoryStream<Path> secure(Path path, DirectoryStream<Path> stream) throws IOException {
        if (stream instanceof SecureDirectoryStream<Path> secure) {
            return secure;
        }
        stream.close();
        throw new RefusedException(path, "its file system opens no files by a descriptor", "one of Linux");
    }

    /** Refuses a path on which another user could rename or replace a folder. */
    private static void requireSafeWay(Path absolute) throws IOException {
        UserPrincipal user = user();
        Path root = Path.of("/");
        // In a user namespace the machine's root has another name.
        UserPrincipal superuser = attributes(root).owner();
        Deque<Path> todo = new ArrayDeque<>();
        absolute.forEach(todo::addLast);
        // The folder itself is checked while it is opened.
        todo.pollLast();
        Path here = root;
        for (int links = 0; !todo.isEmpty(); ) {
            Path name = todo.removeFirst();
            Path next = here.resolve(name);
            if (name.toString().equals("..")) {
                Path above = here.getParent();
                here = above == null ? root : above;
                continue;
            }
            PosixFileAttributes attributes = attributes(next);
            UserPrincipal owner = attributes.owner();
            if (!owner.equals(user) && !owner.equals(superuser)) {
                throw new RefusedException(next, "belongs to " + owner.getName(), user.getName() + " or root");
            }
            if (attributes.isSymbolicLink()) {
                if (++links > LINKS_MAX) {
                    throw new FileSystemLoopException(next.toString());
                }
                Path target = Files.readSymbolicLink(next);
                Deque<Path> whole = new ArrayDeque<>();
                target.forEach(whole::addLast);
                whole.addAll(todo);
                todo = whole;
                here = target.isAbsolute() ? root : here;
                continue;
            }
            if (othersWrite(attributes, user) && !isSticky(next)) {
                throw new RefusedException(
                        next,
                        "mode " + PosixFilePermissions.toString(attributes.permissions())
                                + ", so others may rename what is in it",
                        "a folder that others cannot write");
            }
            here = next;
        }
    }

    /** A group with the user's name is the user's own. */
    private static boolean othersWrite(PosixFileAttributes attributes, UserPrincipal user) {
        Set<PosixFilePermission> permissions = attributes.permissions();
        return permissions.contains(PosixFilePermission.OTHERS_WRITE)
                || (permissions.contains(PosixFilePermission.GROUP_WRITE)
                        && !attributes.group().getName().equals(user.getName()));
    }

    private static boolean isSticky(Path path) throws IOException {
        return ((int) Files.getAttribute(path, "unix:mode", LinkOption.NOFOLLOW_LINKS) & STICKY) != 0;
    }

    private static PosixFileAttributes attributes(Path path) throws IOException {
        return Files.readAttributes(path, PosixFileAttributes.class, LinkOption.NOFOLLOW_LINKS);
    }

    private static UserPrincipal user() throws IOException {
        return Files.getOwner(Path.of("/proc/self"));
    }
}
