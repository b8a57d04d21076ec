package dev.nodepath.emulator.cluster;

import dev.nodepath.emulator.topology.PodSpec;
import dev.nodepath.emulator.traffic.Greeting;
import dev.nodepath.linux.namespace.NetworkNamespace;
import dev.nodepath.linux.syscall.LinuxNetException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/** Probes the pods of one node at an interval from inside the node's namespace, as a kubelet does. */
final class ReadinessProber implements AutoCloseable {
    private static final Duration PERIOD = Duration.ofMillis(200);
    private static final Duration ANSWER_MAX = Duration.ofSeconds(2);
    /** A pod turns unready after this many failures in a row; one success makes it ready. */
    private static final int FAILURES_MAX = 2;

    private final NetworkNamespace node;
    private final List<RunningPod> pods;
    private final EndpointsController controller;
    private final Map<RunningPod, Integer> failures = new HashMap<>();
    private final Map<RunningPod, Boolean> ready = new HashMap<>();
    private final CountDownLatch stop = new CountDownLatch(1);
    private final Thread thread;

    ReadinessProber(String name, NetworkNamespace node, List<RunningPod> pods, EndpointsController controller) {
        this.node = node;
        this.pods = new CopyOnWriteArrayList<>(pods);
        this.controller = controller;
        this.thread = new Thread(this::run, "probes-" + name);
        thread.setDaemon(true);
    }

    /** Probes every pod for the first time. The caller tells the controller the results of all nodes at once. */
    List<PodStatus> first() throws LinuxNetException {
        return node.call(() -> pods.stream().map(this::first).toList());
    }

    private PodStatus first(RunningPod pod) {
        boolean passed = passes(pod);
        failures.put(pod, passed ? 0 : 1);
        ready.put(pod, passed);
        return status(pod, passed);
    }

    /** Begins to probe one more pod. */
    void add(RunningPod pod) {
        pods.add(pod);
    }

    /** Stops probing a pod; after it returns the controller hears no more of the pod. */
    synchronized void remove(RunningPod pod) {
        pods.remove(pod);
        failures.remove(pod);
        ready.remove(pod);
    }

    /** Keeps probing and tells the controller every change. */
    void start() {
        thread.start();
    }

    @Override
    public void close() {
        stop.countDown();
        try {
            thread.join(ANSWER_MAX.toMillis() * 2);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void run() {
        try {
            node.call(() -> {
                while (!stop.await(PERIOD.toMillis(), TimeUnit.MILLISECONDS)) {
                    for (RunningPod pod : pods) {
                        probe(pod);
                    }
                }
                return true;
            });
        } catch (LinuxNetException e) {
            throw new UncheckedIOException(e);
        }
    }

    private synchronized void probe(RunningPod pod) throws IOException {
        if (!pods.contains(pod)) {
            return;
        }
        if (passes(pod)) {
            failures.put(pod, 0);
            report(pod, true);
        } else if (failures.merge(pod, 1, Integer::sum) >= FAILURES_MAX) {
            report(pod, false);
        }
    }

    private void report(RunningPod pod, boolean passed) throws IOException {
        Boolean before = ready.put(pod, passed);
        if (before == null || before != passed) {
            controller.update(status(pod, passed));
        }
    }

    private static PodStatus status(RunningPod pod, boolean passed) {
        return new PodStatus(pod.spec(), pod.addresses(), passed);
    }

    private static boolean passes(RunningPod pod) {
        if (!pod.isRunning()) {
            return false;
        }
        if (pod.spec().readiness().isEmpty()) {
            return true;
        }
        PodSpec.Probe probe = pod.spec().readiness().get();
        InetSocketAddress target = new InetSocketAddress(pod.address().toInetAddress(), probe.port());
        return probe.httpPath().isPresent()
                ? answersHttp(target, probe.httpPath().get())
                : accepts(target);
    }

    private static boolean answersHttp(InetSocketAddress target, String path) {
        return Greeting.status(target, "GET", path, ANSWER_MAX) / 100 == 2;
    }

    private static boolean accepts(InetSocketAddress target) {
        try (Socket socket = new Socket()) {
            socket.connect(target, (int) ANSWER_MAX.toMillis());
            return true;
        } catch (IOException e) {
            return false;
        }
    }
}
