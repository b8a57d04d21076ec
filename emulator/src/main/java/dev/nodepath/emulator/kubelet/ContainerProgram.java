package dev.nodepath.emulator.kubelet;

import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * Finds a container's program before it starts: no image brings it, so it must be on this machine or in a volume.
 * Faults are told in runc's words.
 */
final class ContainerProgram {
    private static final Path ROOT = Path.of("/");
    /** The kernel follows as many. */
    private static final int LINKS_MAX = 40;

    /** The bytes at the start of a file that say how it is executed. */
    private static final int HEAD_BYTES = 256;

    private static final Pattern INTERPRETER = Pattern.compile("#![ \t]*([^ \t\n\0]+)");

    /** The exit code of runc when the kernel cannot execute an existing file. */
    private static final int NOT_EXECUTED = 255;

    private static final String ABSENT = "no such file or directory";
    private static final String DENIED = "permission denied";
    private static final String FOLDER = "is a directory";

    private final List<PodVolumes.Mount> mounts;

    /** Finds programs of a container with these mounts. */
    ContainerProgram(List<PodVolumes.Mount> mounts) throws IOException {
        this.mounts = ContainerPaths.placed(mounts);
    }

    /**
     * Whether a word is a program of this machine: its name, or its absolute path. Most images run such a word if it
     * is their argument.
     */
    static boolean isHere(String word) {
        if (word.isEmpty()) {
            return false;
        }
        try {
            return word.contains("/")
                    ? word.startsWith("/") && isProgram(Path.of(word).normalize())
                    : Stream.of(PodEnvironment.PATH.split(File.pathSeparator, -1))
                            .anyMatch(folder -> isProgram(Path.of(folder, word)));
        } catch (InvalidPathException e) {
            // The word has a zero byte, or a letter that the machine's file names cannot have.
            return false;
        }
    }

    /** A container has folders of its own in place of some of the machine's. */
    private static boolean isProgram(Path file) {
        return Files.isRegularFile(file) && Files.isExecutable(file) && !ContainerPaths.isOwn(file);
    }

    /**
     * The command to run; for a file that the kernel cannot execute, a command that ends as runc does.
     *
     * @param path the folders of programs
     * @param workingDir where a relative path begins
     * @throws StartException if there is no such program, with the words of runc, and what to do
     */
    List<String> command(List<String> words, String path, Path workingDir, String image)
            throws StartException, IOException {
        String program = words.get(0);
        List<Path> candidates = program.contains("/")
                ? List.of(workingDir.resolve(program))
                : Stream.of(path.split(File.pathSeparator, -1))
                        .map(folder -> workingDir.resolve(folder).resolve(program))
                        .toList();
        String problem = "";
        for (Path candidate : candidates) {
            problem = problem(candidate);
            if (problem.isEmpty()) {
                String refusal = refusal(candidate, workingDir);
                return refusal.isEmpty()
                        ? words
                        : List.of(
                                "/bin/sh",
                                "-c",
                                "echo \"exec $0: $1\" >&2; exit " + NOT_EXECUTED,
                                program.contains("/") ? program : candidate.toString(),
                                refusal);
            }
        }
        if (problem.equals(ABSENT)) {
            problem = "stat " + program + ": " + ABSENT;
        }
        throw StartException.ofProgram("exec: \"" + program + "\": "
                + (program.contains("/") ? problem : "executable file not found in $PATH")
                + " (expected: a command of this machine, as image \"" + image
                + "\" is not pulled; or none, for the built-in server)");
    }

    /** Why the path cannot be executed; empty if it can. */
    private String problem(Path path) throws IOException {
        if (isUnknown(path)) {
            return "";
        }
        Optional<Path> file = onMachine(path).filter(Files::exists);
        if (file.isEmpty()) {
            return ABSENT;
        }
        if (Files.isDirectory(file.get())) {
            return FOLDER;
        }
        return Files.isRegularFile(file.get()) && Files.isExecutable(file.get()) ? "" : DENIED;
    }

    /** The kernel's own files, and files that containers share, are not seen from here. */
    private static boolean isUnknown(Path path) {
        return Stream.of("/proc", "/sys", "/dev").anyMatch(path.normalize()::startsWith);
    }

    /** Why the kernel does not execute an existing file; empty if it does, or if this user cannot read the file. */
    private String refusal(Path path, Path workingDir) throws IOException {
        Optional<Path> file =
                isUnknown(path) ? Optional.empty() : onMachine(path).filter(Files::isReadable);
        if (file.isEmpty()) {
            return "";
        }
        String head;
        try (InputStream in = Files.newInputStream(file.get())) {
            head = new String(in.readNBytes(HEAD_BYTES), StandardCharsets.UTF_8);
        }
        if (head.startsWith("\u007fELF")) {
            return "";
        }
        Matcher interpreter = INTERPRETER.matcher(head);
        if (!interpreter.lookingAt()) {
            return "exec format error";
        }
        String problem = problem(workingDir.resolve(interpreter.group(1)));
        return problem.equals(FOLDER) ? DENIED : problem;
    }

    /**
     * The path on this machine of a container's file; empty if there is none. Links of the container lead through the
     * container's root.
     */
    private Optional<Path> onMachine(Path path) throws IOException {
        Deque<Path> left = new ArrayDeque<>();
        path.forEach(left::add);
        Path reached = ROOT;
        int links = 0;
        while (!left.isEmpty()) {
            String name = left.removeFirst().toString();
            if (name.equals("..")) {
                Path parent = reached.getParent();
                reached = parent == null ? ROOT : parent;
                continue;
            }
            Path next = name.equals(".") || name.isEmpty() ? reached : reached.resolve(name);
            Optional<Path> here = place(next);
            if (here.isPresent() && Files.isSymbolicLink(here.get())) {
                if (++links > LINKS_MAX) {
                    return Optional.empty();
                }
                Path target = Files.readSymbolicLink(here.get());
                List<Path> names = new ArrayList<>();
                target.forEach(names::add);
                for (int i = names.size() - 1; i >= 0; i--) {
                    left.addFirst(names.get(i));
                }
                reached = target.isAbsolute() ? ROOT : reached;
            } else {
                reached = next;
            }
        }
        return place(reached);
    }

    /** The place of a path without links: in the innermost mount around it, else on this machine. */
    private Optional<Path> place(Path path) throws IOException {
        for (int i = mounts.size() - 1; i >= 0; i--) {
            PodVolumes.Mount mount = mounts.get(i);
            if (path.startsWith(mount.path())) {
                Path source = mount.source().toRealPath().resolve(mount.part());
                return Optional.of(
                        source.resolve(Path.of(mount.path()).relativize(path)).normalize());
            }
        }
        return ContainerPaths.isOwn(path) ? Optional.empty() : Optional.of(path);
    }
}
