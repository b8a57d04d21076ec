package dev.nodepath.agent.containerd;

import static org.assertj.core.api.Assertions.assertThat;

import dev.nodepath.linux.Eventually;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;

/** {@code nodepath cni-server} as a process. */
final class CniServerProcess {
    private static final Path SOCKET = Path.of("/run/nodepath/cni.sock");
    private static final int SECONDS_MAX = 300;

    private final Path log;
    private Process process;

    CniServerProcess(Path log) throws IOException {
        this.log = log;
        this.process = start();
    }

    /** Waits until clients can connect. */
    void awaitReady() {
        await(() -> Files.exists(SOCKET) && log().contains("cni.started"));
    }

    /** Waits until it has logged this: a call is logged when its client has the answer. */
    void awaitLog(String text) {
        await(() -> log().contains(text));
    }

    private void await(Callable<Boolean> condition) {
        Eventually.isTrue(this::log, () -> {
            boolean holds = condition.call();
            assertThat(holds || process.isAlive()).as(log()).isTrue();
            return holds;
        });
    }

    /** Kills it, and starts another without waiting until that is ready. */
    synchronized void killAndRestart() throws IOException, InterruptedException {
        process.destroyForcibly().waitFor();
        process = start();
    }

    /** Its log since its start. */
    String log() throws IOException {
        return Files.readString(log);
    }

    /** Ends it in order. */
    void stop() throws IOException, InterruptedException {
        process.destroy();
        assertThat(process.waitFor(SECONDS_MAX, TimeUnit.SECONDS)).isTrue();
        assertThat(SOCKET).doesNotExist();
    }

    private Process start() throws IOException {
        Files.writeString(log, "");
        return new ProcessBuilder(Program.HOME.resolve("scripts/nodepath").toString(), "cni-server")
                .redirectErrorStream(true)
                .redirectOutput(log.toFile())
                .start();
    }
}
