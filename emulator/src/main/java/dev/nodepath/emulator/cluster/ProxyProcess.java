package dev.nodepath.emulator.cluster;

import dev.nodepath.emulator.JavaCommand;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** {@code nodepath proxy} on one node, as a process of its own, and what its log says it has programmed. */
final class ProxyProcess implements AutoCloseable {
    private static final Pattern SYNCED = Pattern.compile("\\bproxy\\.synced\\b");
    private static final Pattern TRIGGER = Pattern.compile("\\btrigger=(\\S+)");

    private final String node;
    private final NamespaceProcess process;
    private final Progress progress;

    private ProxyProcess(String node, NamespaceProcess process, Progress progress) {
        this.node = node;
        this.process = process;
        this.progress = progress;
    }

    /** Starts the proxy of a node; it has not synced yet when this returns. */
    static ProxyProcess start(JavaCommand java, String node, Path namespace, List<String> flags, Path log)
            throws IOException {
        Progress progress = new Progress();
        NamespaceProcess process =
                NamespaceProcess.start("proxy-" + node, namespace, java.forProxy(flags), log, progress::read);
        return new ProxyProcess(node, process, progress);
    }

    /**
     * Waits until it has programmed a change of endpoints.
     *
     * @param trigger the time that the change bears; empty waits for the first sync
     * @throws IOException if the process ends or the limit passes before
     */
    void awaitSynced(Optional<Instant> trigger, Duration limit) throws IOException, InterruptedException {
        long deadline = System.nanoTime() + limit.toNanos();
        while (!progress.await(trigger, Duration.ofMillis(100))) {
            if (!process.isAlive()) {
                throw new IOException("proxy of " + node + " ended: " + process.lastOutput());
            }
            if (System.nanoTime() > deadline) {
                throw new IOException("proxy of " + node + " did not sync within " + limit.toSeconds() + " s: "
                        + process.lastOutput());
            }
        }
    }

    boolean isAlive() {
        return process.isAlive();
    }

    @Override
    public void close() {
        process.close();
    }

    /** The newest change that the log names as programmed. */
    private static final class Progress {
        private boolean synced;
        private @Nullable Instant newest;

        synchronized void read(String line) {
            if (!SYNCED.matcher(line).find()) {
                return;
            }
            synced = true;
            Matcher trigger = TRIGGER.matcher(line);
            if (trigger.find()) {
                Instant time = Instant.parse(trigger.group(1));
                newest = newest == null || time.isAfter(newest) ? time : newest;
            }
            notifyAll();
        }

        synchronized boolean await(Optional<Instant> trigger, Duration limit) throws InterruptedException {
            long deadline = System.nanoTime() + limit.toNanos();
            for (long left = limit.toMillis();
                    left > 0 && !reached(trigger);
                    left = (deadline - System.nanoTime()) / 1_000_000) {
                wait(left);
            }
            return reached(trigger);
        }

        private boolean reached(Optional<Instant> trigger) {
            return trigger.map(time -> newest != null && !newest.isBefore(time)).orElse(synced);
        }
    }
}
