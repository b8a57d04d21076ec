package dev.nodepath.bench.policy;

import static dev.nodepath.bench.suite.Recorder.Quantity.less;

import dev.nodepath.agent.install.Conflist;
import dev.nodepath.bench.cni.PluginContender;
import dev.nodepath.bench.suite.Recorder;
import dev.nodepath.bench.suite.Recorder.Quantity;
import dev.nodepath.bench.suite.SuiteSettings;
import dev.nodepath.bench.suite.Turns;
import dev.nodepath.bench.testbed.ApiObject;
import dev.nodepath.bench.testbed.ContenderNode;
import dev.nodepath.bench.testbed.Programs;
import dev.nodepath.linux.KernelLinuxNet;
import dev.nodepath.report.FigureTarget;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;

/**
 * Pods and policies that are added on a node of a small cluster. An agent that enforces policies takes turns with one
 * that does not.
 */
final class AddedPods implements PolicyRun.Part {
    private static final double CREATED_P50_MILLIS = 10;
    private static final double CREATED_P99_MILLIS = 50;
    private static final double ADD_AT_MOST = 1.15;
    private static final int KNOWN_MILLIS = 200;
    private static final String CONFIG = """
            {"cniVersion":"1.0.0","name":"%s","type":"nodepath-bridge","bridge":"%s","isDefaultGateway":true,
             "ipam":{"type":"host-local","dataDir":"%s",
              "ranges":[[{"subnet":"10.244.0.0/24","rangeStart":"10.244.0.5","rangeEnd":"10.244.0.118"}]]}}""";

    private final Programs programs;
    private final SuiteSettings settings;
    private final PolicySizes sizes;
    private final Recorder recorder;
    private final KernelLinuxNet net = new KernelLinuxNet();
    private final Path plugin;
    private final List<String> containers =
            IntStream.range(0, PolicedCluster.LOCAL).mapToObj(i -> "added-" + i).toList();
    private final Quantity createdP50;
    private final Quantity createdP99;
    private final Quantity add;
    private final Quantity atOnce;
    private final Quantity refused;

    AddedPods(Programs programs, Path plugin, SuiteSettings settings, PolicySizes sizes, Recorder recorder) {
        this.plugin = plugin;
        this.programs = programs;
        this.settings = settings;
        this.sizes = sizes;
        this.recorder = recorder;
        String group = sizes.small().toString();
        createdP50 = less(group, "from a new policy until it refuses, p50", "ms");
        createdP99 = less(group, "from a new policy until it refuses, p99", "ms");
        add = less(group, "ADD", "ms");
        atOnce = less(group, PolicedCluster.LOCAL + " ADDs at once", "ms");
        refused = less(group, PolicedCluster.LOCAL + " ADDs at once, how many failed", "ADDs");
        recorder.target(createdP50, FigureTarget.of(PolicyRun.WITH, CREATED_P50_MILLIS));
        recorder.target(createdP99, FigureTarget.of(PolicyRun.WITH, CREATED_P99_MILLIS));
        recorder.target(add, FigureTarget.ratio(PolicyRun.WITH, PolicyRun.WITHOUT, ADD_AT_MOST));
        recorder.target(refused, FigureTarget.of(PolicyRun.WITH, 0));
    }

    @Override
    public List<String> measure(Runnable keep) throws IOException, InterruptedException {
        ExecutorService threads = Executors.newFixedThreadPool(PolicedCluster.LOCAL);
        try (PolicedNode without = new PolicedNode(net, PolicyRun.WITHOUT, programs);
                PolicedNode with = new PolicedNode(net, PolicyRun.WITH, programs)) {
            for (String container : containers) {
                net.create(container).close();
            }
            Turns<PolicedNode> turns = new Turns<>(List.of(without, with));
            turns.round("start", 0, (node, round) -> start(node, node == with));
            for (int i = 0; i < settings.rounds(); i++) {
                settings.say(sizes.small() + ", round " + (i + 1) + " of " + settings.rounds());
                turns.round("small cluster", i, (node, round) -> measure(node, round, threads));
                created(with, i);
                keep.run();
            }
            return turns.failures();
        } finally {
            threads.shutdownNow();
            for (String container : containers) {
                net.delete(container);
            }
        }
    }

    private void start(PolicedNode node, boolean enforces) throws Exception {
        node.put(PolicedCluster.pods(sizes.small()));
        node.put(PolicedCluster.policies(sizes.small()));
        node.start("none", enforces);
        for (int i = 0; i < sizes.warmUps(); i += containers.size()) {
            addAndDelete(node, containers);
        }
    }

    private void created(PolicedNode node, int round) throws IOException, InterruptedException {
        Latencies latencies = new Latencies();
        try (Datagrams datagrams = new Datagrams(node.lane())) {
            datagrams.millisUntilPassed(System.nanoTime());
            for (int i = 0; i < sizes.changes(); i++) {
                ApiObject policy = PolicedCluster.refusal("refusal-" + i);
                long start = System.nanoTime();
                node.server().put(policy);
                latencies.add(datagrams.millisUntilRefused(start));
                long removed = System.nanoTime();
                node.server().remove(policy);
                datagrams.millisUntilPassed(removed);
            }
        }
        recorder.value(createdP50, PolicyRun.WITH, round, latencies.millis(50));
        recorder.value(createdP99, PolicyRun.WITH, round, latencies.millis(99));
    }

    private void measure(PolicedNode node, int round, ExecutorService threads) throws Exception {
        Latencies latencies = new Latencies();
        for (double millis : addAndDelete(node, containers.subList(0, sizes.adds()))) {
            latencies.add(millis);
        }
        recorder.value(add, node.toString(), round, latencies.millis(50));
        together(node, round, threads);
    }

    /** A kubelet calls the plugin when its Pod has been known for long. */
    private List<Double> addAndDelete(PolicedNode node, List<String> added) throws Exception {
        added.forEach(container -> node.server().put(pod(container)));
        TimeUnit.MILLISECONDS.sleep(KNOWN_MILLIS);
        List<Double> millis = new ArrayList<>();
        for (String container : added) {
            millis.add(call(node, "ADD", container));
            call(node, "DEL", container);
        }
        added.forEach(container -> node.server().remove(pod(container)));
        return millis;
    }

    /** The time until the last ADD is done, and how many were refused. */
    private void together(PolicedNode node, int round, ExecutorService threads) throws Exception {
        containers.forEach(container -> node.server().put(pod(container)));
        TimeUnit.MILLISECONDS.sleep(KNOWN_MILLIS);
        long start = System.nanoTime();
        int failed = all(node, "ADD", threads);
        double millis = (System.nanoTime() - start) / 1e6;
        all(node, "DEL", threads);
        containers.forEach(container -> node.server().remove(pod(container)));
        recorder.value(atOnce, node.toString(), round, millis);
        recorder.value(refused, node.toString(), round, failed);
    }

    private int all(PolicedNode node, String command, ExecutorService threads) throws Exception {
        List<Callable<Double>> calls = new ArrayList<>();
        for (String container : containers) {
            calls.add(() -> call(node, command, container));
        }
        int failed = 0;
        for (Future<Double> call : threads.invokeAll(calls)) {
            try {
                call.get();
            } catch (ExecutionException e) {
                if (!(e.getCause() instanceof PluginContender.Refusal)) {
                    throw e;
                }
                System.err.print(e.getCause().getMessage());
                failed++;
            }
        }
        return failed;
    }

    /** Its application has a policy, like all applications. It has no address yet. */
    private static ApiObject pod(String container) {
        return ApiObject.pod("ns-0", container, ContenderNode.NODE_NAME, Optional.empty(), Map.of("app", "app-0"));
    }

    private double call(PolicedNode node, String command, String container)
            throws IOException, InterruptedException, PluginContender.Refusal {
        PluginContender called =
                new PluginContender(node.toString(), node.lane().onNode(List.of(plugin.toString())), 0);
        String config = CONFIG.formatted(
                Conflist.NETWORK, Conflist.BRIDGE, node.socket().resolveSibling("addresses"));
        Map<String, String> variables = Map.of(
                "NODEPATH_CNI_SOCKET",
                node.socket().toString(),
                "CNI_ARGS",
                "IgnoreUnknown=1;K8S_POD_NAMESPACE=ns-0;K8S_POD_NAME=" + container);
        return called.call(command, container, net.path(container).toString(), config, variables);
    }
}
