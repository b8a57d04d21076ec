package dev.nodepath.emulator.kubelet;

import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** Finds a container's program: no image brings it, so it must be on this machine or in a volume. */
final class ContainerProgram {
    private ContainerProgram() {}

    /**
     * Succeeds if there is such a program.
     *
     * @throws StartException with the words of a container runtime, and what to do
     */
    static void require(String program, String path, List<PodVolumes.Mount> mounts, String image)
            throws StartException {
        if (program.contains("/")) {
            boolean mounted = mounts.stream().anyMatch(mount -> program.startsWith(mount.path() + "/"));
            if (mounted || Files.isExecutable(Path.of(program))) {
                return;
            }
        } else {
            for (String folder : path.split(File.pathSeparator, -1)) {
                if (Files.isExecutable(Path.of(folder, program))) {
                    return;
                }
            }
        }
        throw new StartException(
                "RunContainerError",
                "exec: \"" + program + "\": executable file not found on this machine; the image "
                        + (image.isEmpty() ? "" : "\"" + image + "\" ")
                        + "is not pulled (expected: a command of this machine, or none for the built-in server)");
    }
}
