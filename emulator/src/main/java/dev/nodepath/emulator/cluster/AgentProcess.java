package dev.nodepath.emulator.cluster;

import dev.nodepath.emulator.enclosure.JavaCommand;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** {@code nodepath agent} as a process on one node. Its output reports each sync of its proxy. */
final class AgentProcess implements AutoCloseable {
    private static final Duration POLL = Duration.ofMillis(5);

    private final String node;
    private final NamespaceProcess process;
    private final Progress progress;

    private AgentProcess(String node, NamespaceProcess process, Progress progress) {
        this.node = node;
        this.process = process;
        this.progress = progress;
    }

    /**
     * Starts the agent of a node, and does not wait for its parts.
     *
     * @param onSync is called after each sync, on the thread that reads its output
     * @param onEnd is called when the process has ended
     */
    static AgentProcess start(
            JavaCommand java,
            String node,
            Path namespace,
            List<String> flags,
            Path log,
            Runnable onSync,
            Runnable onEnd)
            throws IOException {
        Progress progress = new Progress(onSync);
        NamespaceProcess process =
                NamespaceProcess.start("agent-" + node, namespace, java.forAgent(flags), log, progress::read);
        process.onEnd(onEnd);
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
                throw new IOException("agent of " + node + " did not sync "
                        + trigger.map(time -> "the change of endpoints of " + time + " ")
                                .orElse("")
                        + "within " + limit.toSeconds() + " s: " + process.lastOutput());
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

    /** A condition to wait for. */
    interface Condition {
        /** Whether it is met. */
        boolean holds() throws IOException;
    }

    /** The last sync of its proxy; empty before the first. */
    Optional<ProxySync> lastSync() {
        return progress.last();
    }

    boolean isAlive() {
        return process.isAlive();
    }

    /** Ends it as {@code kill -9} does. */
    void kill() throws InterruptedException {
        process.kill();
    }

    /** Asks it to end, and does not wait for it. */
    void askToEnd() {
        process.askToEnd();
    }

    @Override
    public void close() {
        process.close();
    }

    /** The newest change that the agent reports as programmed. */
    private static final class Progress {
        private final Runnable onSync;
        private @Nullable ProxySync last;
        private boolean synced;
        private @Nullable Instant newest;

        Progress(Runnable onSync) {
            this.onSync = onSync;
        }

        boolean read(String line) {
            try {
                record(ProxySync.read(line));
            } catch (IOException e) {
                return false;
            }
            onSync.run();
            return true;
        }

        private synchronized void record(ProxySync sync) {
            last = sync;
            if (sync.ok()) {
                synced = true;
                sync.trigger()
                        .filter(time -> newest == null || time.isAfter(newest))
                        .ifPresent(time -> newest = time);
                notifyAll();
            }
        }

        synchronized Optional<ProxySync> last() {
            return Optional.ofNullable(last);
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
