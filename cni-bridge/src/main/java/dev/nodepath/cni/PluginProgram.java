package dev.nodepath.cni;

import dev.nodepath.cni.config.Call;
import dev.nodepath.cni.config.IpamConfigParser;
import dev.nodepath.cni.protocol.CniException;
import dev.nodepath.cni.protocol.CniVariable;
import dev.nodepath.cni.protocol.ErrorCode;
import dev.nodepath.cni.protocol.JsonObject;
import dev.nodepath.cni.protocol.JsonParsing;
import dev.nodepath.cni.protocol.Quoted;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/** Another CNI plugin, run as libcni runs it. */
record PluginProgram(Path path) {
    /** How long a plugin may take. A runtime gives the whole chain some minutes; DHCP takes most of one. */
    static final Duration TIME_MAX = Duration.ofMinutes(2);

    /** How long to wait for its pipes after its end. A child process may keep them open. */
    private static final Duration PIPES_WAIT_MAX = Duration.ofSeconds(1);

    /** The limit of an answer, in bytes. */
    private static final int ANSWER_BYTES_MAX = 1 << 20;

    /** A program that is being replaced cannot be run for a moment (ETXTBSY). */
    private static final int BUSY_TRIES_MAX = 6;

    private static final Duration BUSY_PAUSE = Duration.ofSeconds(1);

    /**
     * Finds a plugin by its type.
     *
     * @param searchPath folders with colons between them ({@code CNI_PATH})
     * @throws CniException code 7 if there is none
     */
    static PluginProgram find(String type, String searchPath) throws CniException {
        if (type.indexOf('/') < 0 && !type.equals(".") && !type.equals("..")) {
            for (String folder : searchPath.split(":", -1)) {
                if (isProgram(folder, type)) {
                    return new PluginProgram(Path.of(folder, type));
                }
            }
        }
        throw new CniException(
                ErrorCode.INVALID_CONFIG,
                "ipam.type: " + Quoted.text(type) + " (expected: " + IpamConfigParser.TYPE
                        + ", or a plugin on CNI_PATH)",
                "failed to find plugin in " + searchPath);
    }

    private static boolean isProgram(String folder, String type) {
        try {
            Path file = Path.of(folder, type);
            return !folder.isEmpty() && Files.isRegularFile(file) && Files.isExecutable(file);
        } catch (InvalidPathException e) {
            return false;
        }
    }

    /**
     * Runs it with the environment and configuration of a call.
     *
     * @param command replaces the call's own command
     * @return its output
     * @throws CniException the plugin's error; code 11 if it takes longer than {@link #TIME_MAX}
     */
    byte[] run(String command, Call call) throws CniException, IOException {
        Process process = start(command, call);
        try {
            StreamReader errors = new StreamReader(process.getErrorStream());
            StreamReader answer = new StreamReader(process.getInputStream());
            Thread feeder = thread(() -> feed(process, call.stdin()));
            boolean ended = process.waitFor(TIME_MAX.toMillis(), TimeUnit.MILLISECONDS);
            if (!ended) {
                process.destroyForcibly();
            }
            feeder.join(PIPES_WAIT_MAX.toMillis());
            byte[] printed = answer.bytes();
            call.warnings().append(new String(errors.bytes(), StandardCharsets.UTF_8));
            if (!ended) {
                throw new CniException(
                        ErrorCode.TRY_AGAIN_LATER, path + " " + command + ": no end in " + TIME_MAX.toSeconds() + " s");
            }
            if (process.exitValue() != 0) {
                throw refusal(command, process.exitValue(), printed);
            }
            return printed;
        } catch (InterruptedException e) {
            process.destroyForcibly();
            Thread.currentThread().interrupt();
            throw new CniException(ErrorCode.TRY_AGAIN_LATER, path + " " + command + ": interrupted", e);
        }
    }

    private Process start(String command, Call call) throws CniException, IOException {
        ProcessBuilder builder = new ProcessBuilder(path.toString());
        builder.environment().clear();
        builder.environment().putAll(call.variables());
        builder.environment().put(CniVariable.CNI_COMMAND.name(), command);
        for (int tries = 1; ; tries++) {
            try {
                return builder.start();
            } catch (IOException e) {
                if (tries == BUSY_TRIES_MAX || !String.valueOf(e.getMessage()).contains("error=26")) {
                    throw e;
                }
                pause(command);
            }
        }
    }

    private void pause(String command) throws CniException {
        try {
            Thread.sleep(BUSY_PAUSE.toMillis());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new CniException(ErrorCode.TRY_AGAIN_LATER, path + " " + command + ": interrupted", e);
        }
    }

    private CniException refusal(String command, int exitCode, byte[] printed) {
        try {
            JsonObject error = JsonParsing.object(printed);
            Optional<Long> code = error.integer("code");
            if (code.isPresent()) {
                return new CniException(
                        code.get().intValue(),
                        error.string("msg").orElse(path + " " + command + " failed"),
                        error.string("details").orElse(""));
            }
        } catch (CniException e) {
            return new CniException(ErrorCode.INTERNAL, path + " " + command + ": exit code " + exitCode, e);
        }
        return new CniException(ErrorCode.INTERNAL, path + " " + command + ": exit code " + exitCode);
    }

    private static void feed(Process process, String input) {
        try (OutputStream stdin = process.getOutputStream()) {
            stdin.write(input.getBytes(StandardCharsets.UTF_8));
        } catch (IOException e) {
            // A plugin that does not read its input closes the pipe; its exit code says whether that was right.
            return;
        }
    }

    private static Thread thread(Runnable work) {
        Thread thread = new Thread(work, "plugin");
        thread.setDaemon(true);
        thread.start();
        return thread;
    }

    /** Reads a stream to its end while the process runs, and keeps its beginning. */
    private static final class StreamReader {
        private final ByteArrayOutputStream kept = new ByteArrayOutputStream();
        private final Thread thread;

        StreamReader(InputStream stream) {
            this.thread = PluginProgram.thread(() -> read(stream));
        }

        byte[] bytes() throws InterruptedException {
            thread.join(PIPES_WAIT_MAX.toMillis());
            return kept.toByteArray();
        }

        private void read(InputStream stream) {
            byte[] buffer = new byte[8192];
            try (stream) {
                for (int length = stream.read(buffer); length >= 0; length = stream.read(buffer)) {
                    kept.write(buffer, 0, Math.min(length, ANSWER_BYTES_MAX - kept.size()));
                }
            } catch (IOException e) {
                return; // the process was ended
            }
        }
    }
}
