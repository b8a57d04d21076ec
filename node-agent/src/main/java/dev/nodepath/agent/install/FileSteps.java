package dev.nodepath.agent.install;

import dev.nodepath.linux.io.SharedFolder;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermission;
import java.util.Comparator;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;

/** Atomic changes of files. */
final class FileSteps {
    private static final String TEMPORARY = ".nodepath-new";

    private FileSteps() {}

    /** Copies a file with its permissions and syncs it to the disk. */
    static void copy(Path from, Path to) throws IOException {
        SharedFolder.make(parent(to));
        Files.copy(from, to, StandardCopyOption.REPLACE_EXISTING, StandardCopyOption.COPY_ATTRIBUTES);
        sync(to);
    }

    /** Replaces a file, which may be running, with an executable copy of another. */
    static void replaceProgram(Path from, Path to) throws IOException {
        Path fresh = temporary(to);
        Files.deleteIfExists(fresh);
        Files.copy(from, fresh);
        Set<PosixFilePermission> mode = EnumSet.of(PosixFilePermission.OWNER_WRITE);
        for (PosixFilePermission one : PosixFilePermission.values()) {
            if (!one.name().endsWith("WRITE")) {
                mode.add(one);
            }
        }
        Files.setPosixFilePermissions(fresh, mode);
        sync(fresh);
        move(fresh, to);
    }

    /** Makes or replaces a symbolic link. */
    static void replaceLink(Path link, Path target) throws IOException {
        if (Files.isSymbolicLink(link) && Files.readSymbolicLink(link).equals(target)) {
            return;
        }
        Path fresh = temporary(link);
        Files.deleteIfExists(fresh);
        Files.createSymbolicLink(fresh, target);
        move(fresh, link);
    }

    /** Writes a text to a temporary file in the same folder, moves that into place, and syncs both to the disk. */
    static void replaceText(Path file, String text) throws IOException {
        Path fresh = temporary(file);
        Files.writeString(fresh, text, StandardCharsets.UTF_8);
        sync(fresh);
        move(fresh, file);
        sync(parent(file));
    }

    /** Renames; both in the same folder. */
    static void move(Path from, Path to) throws IOException {
        Files.move(from, to, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
    }

    /** Deletes a file or link and its temporary file. Missing ones are no error. */
    static void delete(Path file) throws IOException {
        Files.deleteIfExists(temporary(file));
        Files.deleteIfExists(file);
    }

    /** Deletes a folder with its content. A missing one is no error. */
    static void deleteTree(Path folder) throws IOException {
        if (!Files.exists(folder, java.nio.file.LinkOption.NOFOLLOW_LINKS)) {
            return;
        }
        List<Path> deepestFirst;
        try (Stream<Path> tree = Files.walk(folder)) {
            deepestFirst = tree.sorted(Comparator.reverseOrder()).toList();
        } catch (UncheckedIOException e) {
            throw e.getCause() == null ? new IOException(e) : e.getCause();
        }
        for (Path path : deepestFirst) {
            Files.deleteIfExists(path);
        }
    }

    /** An error of files, with the folder's option in front. */
    static IOException problem(String option, Path folder, IOException e) {
        String reason = e instanceof FileSystemException file
                ? file.getFile() + ": " + reason(file)
                : String.valueOf(e.getMessage());
        return new IOException(option + " " + folder + ": " + reason + " (expected: a writable folder of the node)", e);
    }

    private static String reason(FileSystemException e) {
        if (e.getReason() != null) {
            return e.getReason();
        }
        return e instanceof NoSuchFileException
                ? "No such file or directory"
                : e.getClass().getSimpleName();
    }

    private static Path temporary(Path file) {
        return file.resolveSibling("." + file.getFileName() + TEMPORARY);
    }

    private static Path parent(Path file) {
        Path parent = file.getParent();
        return parent == null ? Path.of("/") : parent;
    }

    private static void sync(Path file) throws IOException {
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.READ)) {
            channel.force(true);
        }
    }
}
