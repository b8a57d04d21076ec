package dev.nodepath.emulator.kubelet;

import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/** Finds a container's program: no image brings it, so it must be on this machine or in a volume. */
final class ContainerProgram {
    private ContainerProgram() {}

    /** Whether a word is the name of a program of this machine. Most images run such a word if it is their argument. */
    static boolean isHere(String word) {
        return !word.isEmpty()
                && !word.contains("/")
                && Stream.of(PodEnvironment.PATH.split(File.pathSeparator, -1))
                        .anyMatch(folder -> Files.isExecutable(Path.of(folder, word)));
    }

    /**
     * Succeeds if there is such a program.
     *
     * @param workingDir where a relative path begins
     * @throws StartException with the words of runc, and what to do
     */
    static void require(String program, String path, Path workingDir, List<PodVolumes.Mount> mounts, String image)
            throws StartException {
        String missing = program.contains("/")
                ? missing(workingDir.resolve(program), program, mounts)
                : Stream.of(path.split(File.pathSeparator, -1))
                                .map(folder -> workingDir.resolve(folder).resolve(program))
                                .anyMatch(file -> missing(file, program, mounts).isEmpty())
                        ? ""
                        : "executable file not found in $PATH";
        if (!missing.isEmpty()) {
            throw StartException.ofProgram(
                    "exec: \"" + program + "\": " + missing + " (expected: a command of this machine, as" + " image \""
                            + image + "\" is not pulled; or none, for the built-in server)");
        }
    }

    /** Why it cannot be executed; empty if it can. A volume may have anything. */
    private static String missing(Path file, String program, List<PodVolumes.Mount> mounts) {
        if (mounts.stream()
                .anyMatch(mount ->
                        file.startsWith(mount.path()) || file.normalize().startsWith(mount.path()))) {
            return "";
        }
        if (!Files.exists(file)) {
            return "stat " + program + ": no such file or directory";
        }
        if (Files.isDirectory(file)) {
            return "is a directory";
        }
        return Files.isExecutable(file) ? "" : "permission denied";
    }
}
