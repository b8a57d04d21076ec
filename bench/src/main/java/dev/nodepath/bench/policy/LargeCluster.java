package dev.nodepath.bench.policy;

import static dev.nodepath.bench.suite.Recorder.Quantity.less;

import dev.nodepath.bench.suite.Recorder;
import dev.nodepath.bench.suite.Recorder.Quantity;
import dev.nodepath.bench.suite.SuiteSettings;
import dev.nodepath.bench.suite.Turns;
import dev.nodepath.bench.testbed.ApiObject;
import dev.nodepath.bench.testbed.ProcessUsage;
import dev.nodepath.bench.testbed.Programs;
import dev.nodepath.bench.testbed.RestingProcess;
import dev.nodepath.linux.KernelLinuxNet;
import dev.nodepath.report.FigureTarget;
import java.io.IOException;
import java.util.List;

/**
 * A node of a large cluster. Each round starts two agents of this node in turn: only the second enforces policies.
 */
final class LargeCluster implements PolicyRun.Part {
    private static final double FIRST_SYNC_MILLIS = 1000;
    private static final double LABEL_MILLIS = 5;
    private static final double MEGABYTES = 25;

    private final Programs programs;
    private final SuiteSettings settings;
    private final PolicySizes sizes;
    private final Recorder recorder;
    private final List<ApiObject> policies;
    private final Quantity firstSync;
    private final Quantity label;
    private final Quantity resident;
    private final Quantity above;
    private double without;

    LargeCluster(Programs programs, SuiteSettings settings, PolicySizes sizes, Recorder recorder) {
        this.programs = programs;
        this.settings = settings;
        this.sizes = sizes;
        this.recorder = recorder;
        policies = PolicedCluster.policies(sizes.large());
        String group = sizes.large().toString();
        firstSync = less(group, "from the first policy until the last is in force, pods listed in between", "ms");
        label = less(group, "from a changed label until it is in force, p50", "ms");
        resident = less(group, "resident memory", "MB");
        above = less(group, "resident memory above one without policies", "MB");
        recorder.target(firstSync, FigureTarget.of(PolicyRun.WITH, FIRST_SYNC_MILLIS));
        recorder.target(label, FigureTarget.of(PolicyRun.WITH, LABEL_MILLIS));
        recorder.target(above, FigureTarget.of(PolicyRun.WITH, MEGABYTES));
    }

    @Override
    public List<String> measure(Runnable keep) throws IOException, InterruptedException {
        try (PolicedNode node = new PolicedNode(new KernelLinuxNet(), "large", programs);
                Datagrams datagrams = new Datagrams(node.lane())) {
            node.put(PolicedCluster.pods(sizes.large()));
            Turns<String> turns = new Turns<>(List.of(PolicyRun.WITHOUT, PolicyRun.WITH));
            for (int i = 0; i < settings.rounds(); i++) {
                settings.say(sizes.large() + ", round " + (i + 1) + " of " + settings.rounds());
                turns.round("large cluster", i, (contender, round) -> measure(node, datagrams, contender, round));
                keep.run();
            }
            return turns.failures();
        }
    }

    private void measure(PolicedNode node, Datagrams datagrams, String contender, int round)
            throws IOException, InterruptedException {
        boolean enforces = contender.equals(PolicyRun.WITH);
        Process agent = node.start("none", enforces);
        try {
            if (enforces) {
                policies(node, datagrams, round);
            }
            RestingProcess.trimHeap(agent);
            double megabytes = ProcessUsage.of(List.of(agent)).residentBytes() / 1e6;
            recorder.value(resident, contender, round, megabytes);
            if (enforces) {
                recorder.value(above, contender, round, megabytes - without);
            }
            without = megabytes;
        } finally {
            node.end(agent);
            policies.forEach(node.server()::remove);
            node.server().remove(PolicedCluster.allowance("allowance"));
            node.server().put(PolicedCluster.client(true));
        }
    }

    private void policies(PolicedNode node, Datagrams datagrams, int round) throws IOException, InterruptedException {
        datagrams.millisUntilPassed(System.nanoTime());
        node.server().put(PolicedCluster.client(false));
        long start = System.nanoTime();
        node.put(policies);
        node.server().put(PolicedCluster.allowance("allowance"));
        recorder.value(firstSync, PolicyRun.WITH, round, datagrams.millisUntilRefused(start));
        Latencies latencies = new Latencies();
        for (int i = 0; i < sizes.changes(); i++) {
            boolean allowed = i % 2 == 0;
            long changed = System.nanoTime();
            node.server().put(PolicedCluster.client(allowed));
            latencies.add(allowed ? datagrams.millisUntilPassed(changed) : datagrams.millisUntilRefused(changed));
        }
        recorder.value(label, PolicyRun.WITH, round, latencies.millis(50));
    }
}
