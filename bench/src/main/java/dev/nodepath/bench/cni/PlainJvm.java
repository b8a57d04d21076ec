package dev.nodepath.bench.cni;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** The least cost of a call in a JVM of its own: a JVM with the launcher's flags prints its version. */
final class PlainJvm {
    private static final String MAIN = "dev.nodepath.cni.Main";

    private PlainJvm() {}

    /**
     * Finds the launcher's flags with a stand-in for Java that prints its arguments.
     *
     * @param folder for the stand-in
     * @throws IOException if the launcher fails, with the reason
     */
    static PluginContender of(Path launcher, Path folder) throws IOException, InterruptedException {
        Path home = Path.of(Optional.ofNullable(System.getenv("JAVA_HOME")).orElse(System.getProperty("java.home")));
        Path java = Files.createDirectories(folder.resolve("bin")).resolve("java");
        Files.writeString(java, "#!/bin/sh\nprintf '%s\\n' \"$@\"\n");
        Files.setPosixFilePermissions(java, PosixFilePermissions.fromString("rwxr-xr-x"));
        // The launcher reads Java's version there and chooses flags by it.
        Path release = folder.resolve("release");
        Files.deleteIfExists(release);
        Files.createSymbolicLink(release, home.resolve("release"));
        ProcessBuilder builder = new ProcessBuilder(launcher.toString()).redirectErrorStream(true);
        builder.environment().put("JAVA_HOME", folder.toString());
        builder.environment().remove("NODEPATH_LIB");
        Process process = builder.start();
        process.getOutputStream().close();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        List<String> command = new ArrayList<>(output.lines().toList());
        if (process.waitFor() != 0
                || command.isEmpty()
                || !command.remove(command.size() - 1).equals(MAIN)) {
            throw new IOException(
                    launcher + ": " + output.strip() + " (expected: a command line that ends with " + MAIN + ")");
        }
        command.add(0, home.resolve("bin").resolve("java").toString());
        command.add("-version");
        return new PluginContender("java", command, 0);
    }
}
