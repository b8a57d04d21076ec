package dev.nodepath.emulator.cluster;

import dev.nodepath.emulator.enclosure.JavaCommand;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** {@code nodepath agent} as a process on one node. Its log says what its proxy has programmed. */
final class AgentProcess implements AutoCloseable {
    private static final Pattern SYNCED = Pattern.compile("\\bproxy\\.synced\\b");
    private static final Pattern TRIGGER = Pattern.compile("\\btrigger=(\\S+)");

    private static final Duration POLL = Duration.ofMillis(5);

    private final String node;
    private final NamespaceProcess process;
    private final Progress progress;

    private AgentProcess(String node, NamespaceProcess process, Progress progress) {
        this.node = node;
        this.process = process;
        this.progress = progress;
    }

    /** Starts the agent of a node, and does not wait for its parts. */
    static AgentProcess start(JavaCommand java, String node, Path namespace, List<String> flags, Path log)
            throws IOException {
        Progress progress = new Progress();
        NamespaceProcess process =
                NamespaceProcess.start("agent-" + node, namespace, java.forAgent(flags), log, progress::read);
        return new AgentProcess(node, process, progress);
    }

    /**
     * Waits until it has programmed a change of endpoints.
     *
     * @param trigger the trigger time of the change; empty waits for the first sync
     * @throws IOException if the process ends or the limit passes before
     */
    void awaitSynced(Optional<Instant> trigger, Duration limit) throws IOException, InterruptedException {
        long deadline = System.nanoTime() + limit.toNanos();
        while (!progress.await(trigger, Duration.ofMillis(100))) {
            if (!process.isAlive()) {
                throw new IOException("agent of " + node + " ended: " + process.lastOutput());
            }
            if (System.nanoTime() > deadline) {
                throw new IOException("agent of " + node + " did not sync within " + limit.toSeconds() + " s: "
                        + process.lastOutput());
            }
        }
    }

    /**
     * Waits for another effect of the agent.
     *
     * @param what names it in the error
     */
    void await(String what, Condition condition, Duration limit) throws IOException, InterruptedException {
        long deadline = System.nanoTime() + limit.toNanos();
        while (!condition.holds()) {
            if (!process.isAlive()) {
                throw new IOException("agent of " + node + " ended: " + process.lastOutput());
            }
            if (System.nanoTime() > deadline) {
                throw new IOException("agent of " + node + ": no " + what + " within " + limit.toSeconds() + " s: "
                        + process.lastOutput());
            }
            Thread.sleep(POLL.toMillis());
        }
    }

    /** Something to be waited for. */
    interface Condition {
        /** Whether it has come. */
        boolean holds() throws IOException;
    }

    boolean isAlive() {
        return process.isAlive();
    }

    /** Asks it to end, and does not wait for it. */
    void askToEnd() {
        process.askToEnd();
    }

    @Override
    public void close() {
        process.close();
    }

    /** The newest change that the log reports as programmed. */
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
