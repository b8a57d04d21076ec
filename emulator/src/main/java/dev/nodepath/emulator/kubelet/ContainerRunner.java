package dev.nodepath.emulator.kubelet;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.nodepath.emulator.kubelet.ContainerState.Running;
import dev.nodepath.emulator.kubelet.ContainerState.Terminated;
import dev.nodepath.emulator.kubelet.ContainerState.Waiting;
import dev.nodepath.linux.time.BackOff;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Executor;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/** One container of a Pod: starts it, probes it, and starts it again with back-off as the Pod's policy says. */
final class ContainerRunner {
    /** Kubernetes' own: 10 s, doubled up to 5 minutes; the first restart is at once. */
    private static final BackOff BACK_OFF = new BackOff(Duration.ofSeconds(10), Duration.ofMinutes(5));

    /** A container that ran for so long begins with a short back-off again. */
    private static final Duration RESET_AFTER = Duration.ofMinutes(10);

    /** The wait until a failed start is tried again, for example when a volume was absent. */
    private static final Duration FAILED_START = Duration.ofSeconds(1);

    /** The exit code of a container that never ran, as containerd has it. */
    private static final int NOT_RUN = 128;

    /** The time for a container to end before it is started again: Kubernetes' default grace. */
    private static final Duration RESTART_GRACE = Duration.ofSeconds(30);

    private final String restartPolicy;
    private final Surroundings surroundings;
    private final ScheduledExecutorService timers;
    private final Executor background;
    private final InstantSource clock;
    private final List<ProbeLoop> probes = new ArrayList<>();
    private @Nullable ProbeLoop readiness;
    private ContainerState state;
    private Optional<Terminated> last = Optional.empty();
    private @Nullable Container container;
    private volatile ContainerSpec spec;
    /** The container's new definition, in force once the present run has ended. */
    private @Nullable ContainerSpec next;

    private @Nullable Start pending;
    private boolean stopping;
    private boolean startedUp;
    private boolean ready;
    private int restarts;
    private int backOffs;

    /**
     * A start that is still to come.
     *
     * @param counts whether it is a restart
     */
    private record Start(Future<?> timer, boolean counts) {}

    /** The Pod's parts that a container needs. */
    interface Surroundings {
        /** Waits until the container can start, or until a further wait is useless. */
        void await(ContainerRunner runner) throws IOException;

        /**
         * Starts the container.
         *
         * @throws StartException if it cannot be started, with Kubernetes' reason
         */
        Container start(ContainerRunner runner) throws StartException, IOException;

        /** Tries a probe. Returns why it failed; empty if it passed. */
        Optional<String> problem(ContainerRunner runner, ProbeSpec probe);

        /** Calls the hook that follows the container's start. Returns why it failed; empty if it did not. */
        Optional<String> postStart(ContainerRunner runner) throws InterruptedException;

        /** The container's last words; empty if there are none. */
        String lastWords(ContainerRunner runner, int exitCode);

        /** The container's state has changed. */
        void changed();

        /** The Pod as a kubelet names it: {@code NAME_NAMESPACE(UID)}. */
        String podName();

        /** Writes an Event about it. */
        void event(boolean normal, String reason, String message);
    }

    /**
     * A runner that has started nothing.
     *
     * @param waitsFor why it is not started yet
     * @param timers for probes and restarts, on threads in the node's network namespace
     * @param background for work that takes long
     */
    ContainerRunner(
            ContainerSpec spec,
            String restartPolicy,
            String waitsFor,
            Surroundings surroundings,
            ScheduledExecutorService timers,
            Executor background,
            InstantSource clock) {
        this.spec = spec;
        this.restartPolicy = restartPolicy;
        this.state = new Waiting(waitsFor, "");
        this.surroundings = surroundings;
        this.timers = timers;
        this.background = background;
        this.clock = clock;
    }

    ContainerSpec spec() {
        return spec;
    }

    /** The image of the container, or its next image once the present run has ended. */
    synchronized String wantedImage() {
        return next == null ? spec.image() : next.image();
    }

    /** Starts it, for the first time or again. A failure is tried again later. */
    void start() {
        try {
            // The lock is free meanwhile: a stop, or a question for the state, does not wait.
            surroundings.await(this);
            Container started;
            Instant at;
            synchronized (this) {
                if (stopping || container != null) {
                    return;
                }
                started = surroundings.start(this);
                container = started;
                state = new Waiting("ContainerCreating", "");
                at = clock.instant();
                var unused = started.ended().thenAcceptAsync(exitCode -> ended(started, exitCode, at), background);
            }
            surroundings.event(true, "Started", "Container started: " + spec.name());
            if (spec.postStart().isEmpty()) {
                run(started, at);
            } else {
                later(() -> runAfterHook(started, at));
            }
        } catch (StartException e) {
            if (e.isEnd()) {
                notRun(e);
            } else {
                failed(e);
            }
        } catch (IOException e) {
            failed(new StartException("RunContainerError", String.valueOf(e.getMessage())));
        }
        surroundings.changed();
    }

    private void later(Runnable work) {
        try {
            background.execute(work);
        } catch (RejectedExecutionException e) {
            // The node ends.
            return;
        }
    }

    private void runAfterHook(Container started, Instant at) {
        try {
            Optional<String> problem = surroundings.postStart(this);
            if (problem.isEmpty()) {
                run(started, at);
                surroundings.changed();
            } else if (waits(started)) {
                surroundings.event(false, "FailedPostStartHook", "PostStartHook failed: " + problem.get());
                started.stop(RESTART_GRACE);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** Whether this container still runs, waits for its hook, and is not being ended. */
    private synchronized boolean waits(Container started) {
        return container == started && !stopping && isStarting();
    }

    /** From now on it counts as running, unless it has ended meanwhile. */
    private synchronized void run(Container started, Instant at) {
        if (container != started) {
            return;
        }
        state = new Running(at);
        startedUp = spec.startup().isEmpty();
        ready = startedUp && spec.readiness().isEmpty();
        if (!stopping) {
            startProbes();
        }
    }

    /** Listens on more ports, if the built-in server runs in it. */
    void serve(Set<Integer> ports) throws IOException {
        Optional<Container> running = container();
        if (running.isPresent()) {
            running.get().serve(ports);
        }
    }

    /** The present container. */
    synchronized Optional<Container> container() {
        return Optional.ofNullable(container);
    }

    /** Ends it for good. */
    void stop(Duration grace) throws InterruptedException {
        Container running;
        synchronized (this) {
            stopping = true;
            running = container;
            stopProbes();
        }
        if (running != null) {
            running.stop(grace);
        }
    }

    /**
     * Takes a changed image: ends the present run, and starts the container again without a pause, whatever its
     * policy. A container that has ended for good stays as it was, and a running init container is not ended.
     */
    void redefine(ContainerSpec changed) {
        Container running;
        synchronized (this) {
            running = container;
            if (stopping || finished().isPresent() || (running != null && spec.role() == ContainerSpec.Role.INIT)) {
                return;
            }
            if (running == null) {
                spec = changed;
                backOffs = 0;
                if (pending != null && pending.timer().cancel(false)) {
                    startLater(Duration.ZERO, pending.counts());
                }
                return;
            }
            boolean ends = next != null;
            next = changed;
            if (ends) {
                return;
            }
            stopProbes();
        }
        restart(running, "Container " + changed.name() + " definition changed, will be restarted");
    }

    /** A probe has failed: ends the container, so that its policy starts it again. */
    private void restart(ProbeLoop probe, String why) {
        Container running;
        synchronized (this) {
            if (probe.isClosed()) {
                return;
            }
            running = container;
            stopProbes();
        }
        if (running != null) {
            restart(running, why);
        }
    }

    private void restart(Container running, String why) {
        surroundings.event(true, "Killing", why);
        later(() -> {
            try {
                running.stop(RESTART_GRACE);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        });
    }

    /** Tries the readiness probe now: the built-in server has changed its answer. */
    void readinessMayHaveChanged() {
        ProbeLoop probe;
        synchronized (this) {
            probe = readiness;
        }
        if (probe != null) {
            probe.tryNow();
        }
    }

    /** Whether it has started, and its postStart hook is not done. */
    synchronized boolean isStarting() {
        return container != null && !(state instanceof Running);
    }

    /** Whether it runs now. */
    synchronized boolean runs() {
        return state instanceof Running;
    }

    /** Whether it runs now, and its startup probe has passed. */
    synchronized boolean isStarted() {
        return state instanceof Running && startedUp;
    }

    /** Its exit code, if it has ended and is not started again. */
    synchronized Optional<Integer> finished() {
        return state instanceof Terminated terminated && (stopping || !startsAgain(terminated.exitCode()))
                ? Optional.of(terminated.exitCode())
                : Optional.empty();
    }

    /** The container's entry in the Pod's status. */
    synchronized ContainerStatus status(String containerId) {
        boolean runs = state instanceof Running;
        boolean isReady = spec.role() == ContainerSpec.Role.INIT
                ? finished().filter(code -> code == 0).isPresent()
                : ready && runs && spec.role() != ContainerSpec.Role.EPHEMERAL;
        ObjectNode entry = JsonNodeFactory.instance
                .objectNode()
                .put("name", spec.name())
                .put("image", spec.image())
                .put("imageID", "")
                .put("containerID", containerId)
                .put("ready", isReady)
                .put("started", runs && startedUp)
                .put("restartCount", restarts);
        state.writeTo(entry.putObject("state"));
        ObjectNode before = entry.putObject("lastState");
        last.ifPresent(terminated -> terminated.writeTo(before));
        boolean begun = !(state instanceof Waiting) || last.isPresent();
        return new ContainerStatus(spec.role(), spec.name(), isReady, begun, finished(), entry);
    }

    private void startProbes() {
        if (spec.startup().isPresent() && !startedUp) {
            probe("Startup", spec.startup().get(), this::startUp);
        } else {
            startRunningProbes();
        }
    }

    private void startRunningProbes() {
        spec.readiness().ifPresent(probe -> readiness = probe("Readiness", probe, this::turn));
        spec.liveness().ifPresent(probe -> probe("Liveness", probe, this::live));
    }

    private ProbeLoop probe(String kind, ProbeSpec probe, BiConsumer<ProbeLoop, Boolean> verdict) {
        ProbeLoop loop = new ProbeLoop(
                probe,
                () -> surroundings.problem(this, probe),
                what -> surroundings.event(false, "Unhealthy", kind + " probe " + what),
                verdict,
                timers);
        probes.add(loop);
        loop.start();
        return loop;
    }

    private synchronized void stopProbes() {
        probes.forEach(ProbeLoop::close);
        probes.clear();
        readiness = null;
    }

    private void startUp(ProbeLoop loop, boolean passed) {
        if (!passed) {
            restart(loop, "Container " + spec.name() + " failed startup probe, will be restarted");
            return;
        }
        synchronized (this) {
            if (loop.isClosed()) {
                return;
            }
            stopProbes();
            startedUp = true;
            ready = spec.readiness().isEmpty();
            startRunningProbes();
        }
        surroundings.changed();
    }

    private void turn(ProbeLoop loop, boolean passed) {
        boolean changed;
        synchronized (this) {
            if (loop.isClosed()) {
                return;
            }
            changed = ready != passed;
            ready = passed;
        }
        if (changed) {
            surroundings.changed();
        }
    }

    private void live(ProbeLoop loop, boolean passed) {
        if (!passed) {
            restart(loop, "Container " + spec.name() + " failed liveness probe, will be restarted");
        }
    }

    private void ended(Container which, int exitCode, Instant startedAt) {
        String message = surroundings.lastWords(this, exitCode);
        Optional<Duration> pause;
        synchronized (this) {
            if (container != which) {
                return;
            }
            container = null;
            ready = false;
            stopProbes();
            String reason = which.ranOutOfMemory() ? "OOMKilled" : exitCode == 0 ? "Completed" : "Error";
            pause = finish(new Terminated(exitCode, reason, message, startedAt, clock.instant()));
        }
        tellPause(pause);
        surroundings.changed();
    }

    /** The start failed before a process ran. The container counts as ended, as with a container runtime. */
    private void notRun(StartException why) {
        String message = String.valueOf(why.getMessage());
        surroundings.event(false, why.event(), "Error: " + message);
        Instant now = clock.instant();
        tellPause(finish(new Terminated(NOT_RUN, why.reason(), message, now, now)));
    }

    /** Sets the state after its end. Returns the wait for its next start, which is set; empty if there is none. */
    private synchronized Optional<Duration> finish(Terminated terminated) {
        state = terminated;
        if (stopping || (next == null && !startsAgain(terminated.exitCode()))) {
            return Optional.empty();
        }
        last = Optional.of(terminated);
        if (next != null) {
            spec = next;
            next = null;
            state = new Waiting("ContainerCreating", "");
            backOffs = 0;
        }
        Duration ran = Duration.between(terminated.startedAt(), terminated.finishedAt());
        backOffs = ran.compareTo(RESET_AFTER) > 0 ? 0 : backOffs;
        Duration pause = backOff();
        if (!pause.isZero()) {
            state = new Waiting(
                    "CrashLoopBackOff",
                    "back-off " + pause.toSeconds() + "s restarting failed container=" + spec.name() + " pod="
                            + surroundings.podName());
        }
        startLater(pause, true);
        return Optional.of(pause);
    }

    private void tellPause(Optional<Duration> pause) {
        if (pause.isPresent() && !pause.get().isZero()) {
            surroundings.event(
                    false,
                    "BackOff",
                    "Back-off restarting failed container " + spec.name() + " in pod " + surroundings.podName());
        }
    }

    private void failed(StartException why) {
        String message = String.valueOf(why.getMessage());
        boolean mounting = why.event().equals("FailedMount");
        Duration pause;
        synchronized (this) {
            state = new Waiting(why.reason(), mounting ? "" : message);
            pause = backOff();
        }
        surroundings.event(false, why.event(), mounting ? message : "Error: " + message);
        startLater(pause.isZero() ? FAILED_START : pause, false);
    }

    private synchronized void startLater(Duration pause, boolean counts) {
        try {
            Future<?> timer = timers.schedule(() -> startNow(counts), pause.toMillis(), TimeUnit.MILLISECONDS);
            pending = new Start(timer, counts);
        } catch (RejectedExecutionException e) {
            // The node ends.
            return;
        }
    }

    private void startNow(boolean counts) {
        synchronized (this) {
            pending = null;
            restarts += counts && !stopping ? 1 : 0;
        }
        start();
    }

    /** The first restart is at once, the second after 10 s, the third after 20 s. */
    private Duration backOff() {
        return BACK_OFF.after(backOffs++);
    }

    private boolean startsAgain(int exitCode) {
        return restartPolicy.equals("Always") || (restartPolicy.equals("OnFailure") && exitCode != 0);
    }
}
