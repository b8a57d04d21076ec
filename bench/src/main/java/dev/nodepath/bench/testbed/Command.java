package dev.nodepath.bench.testbed;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** Runs short commands and finds programs. */
public final class Command {
    private static final List<Path> FOLDERS = List.of(
            Path.of("/usr/local/sbin"),
            Path.of("/usr/local/bin"),
            Path.of("/usr/sbin"),
            Path.of("/usr/bin"),
            Path.of("/sbin"),
            Path.of("/bin"));

    private Command() {}

    /**
     * Runs a command and returns its output.
     *
     * @throws IOException if it cannot be started, fails, or does not end within the limit
     */
    public static String output(List<String> command, Duration limit) throws IOException, InterruptedException {
        Path file = Files.createTempFile(Path.of("/run"), "bench", ".out");
        try {
            Process process = new ProcessBuilder(command)
                    .redirectErrorStream(true)
                    .redirectInput(Path.of("/dev/null").toFile())
                    .redirectOutput(file.toFile())
                    .start();
            try {
                if (!process.waitFor(limit.toMillis(), TimeUnit.MILLISECONDS)) {
                    throw new IOException(command + ": no end within " + limit.toSeconds() + " s");
                }
            } finally {
                process.destroyForcibly();
            }
            String output = Files.readString(file, StandardCharsets.UTF_8);
            if (process.exitValue() != 0) {
                throw new IOException(command + ": exit code " + process.exitValue() + ": " + output.strip());
            }
            return output;
        } finally {
            Files.deleteIfExists(file);
        }
    }

    /** Whether a program of this name is installed. */
    public static boolean exists(String program) {
        return FOLDERS.stream().anyMatch(folder -> Files.isExecutable(folder.resolve(program)));
    }
}
