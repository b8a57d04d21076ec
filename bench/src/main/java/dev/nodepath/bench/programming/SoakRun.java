package dev.nodepath.bench.programming;

import static dev.nodepath.bench.suite.Recorder.Quantity.less;

import dev.nodepath.bench.suite.Outcome;
import dev.nodepath.bench.suite.Recorder;
import dev.nodepath.bench.suite.Recorder.Quantity;
import dev.nodepath.bench.suite.SuiteSettings;
import dev.nodepath.bench.suite.Turns;
import dev.nodepath.bench.testbed.Contender;
import dev.nodepath.bench.testbed.Lineup;
import dev.nodepath.bench.testbed.ProcessUsage;
import dev.nodepath.bench.testbed.Programs;
import dev.nodepath.linux.KernelLinuxNet;
import dev.nodepath.report.FigureTarget;
import dev.nodepath.report.SuiteResult;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import org.HdrHistogram.Histogram;

/** One run of the {@link SoakSuite}: each contender in turn, on a node of its own that is there for its turn alone. */
final class SoakRun {
    private static final List<Contender> CONTENDERS = List.of(
            Contender.USERSPACE,
            Contender.IPTABLES,
            Contender.NFTABLES,
            Contender.KUBE_PROXY,
            Contender.KUBE_PROXY_NFTABLES);
    private static final int PROBES = 4;
    /** Between two probes, so that they meet each moment of a pause. */
    private static final int GAP_MILLIS_MAX = 200;
    /** The significant digits of a time. */
    private static final int DIGITS = 3;

    private final Programs programs;
    private final SuiteSettings settings;
    private final Load load;
    private final KernelLinuxNet kernel = new KernelLinuxNet();
    private final Recorder recorder = new Recorder(Contender.NFTABLES.toString());

    /**
     * The changes of a run.
     *
     * @param services the number of Services
     * @param endpoints of each Service
     * @param changesPerSecond slices in which an endpoint is replaced
     * @param length of a turn, after the rules of the first sync are in force
     */
    record Load(int services, int endpoints, int changesPerSecond, Duration length) {
        @Override
        public String toString() {
            return services + " Services x " + endpoints + ", " + changesPerSecond + " slices changed a second";
        }
    }

    SoakRun(Programs programs, SuiteSettings settings, Load load) {
        this.programs = programs;
        this.settings = settings;
        this.load = load;
    }

    SuiteResult run() throws InterruptedException {
        String nftables = Contender.NFTABLES.toString();
        recorder.target(latency(50), FigureTarget.of(nftables, 40));
        recorder.target(latency(99), FigureTarget.of(nftables, 250));
        recorder.target(cpu(), FigureTarget.of(nftables, 1.5));
        recorder.target(resident(), FigureTarget.of(nftables, 150));
        List<String> notes = new ArrayList<>();
        notes.add("A change is in force when a client gets an answer through it; it asks every "
                + FollowedNode.POLL_MILLIS + " ms. The proxies keep their defaults.");
        Turns<Contender> turns = new Turns<>(Lineup.present(Lineup.wanted(settings, CONTENDERS), programs, notes::add));
        for (int i = 0; i < settings.rounds(); i++) {
            settings.say("round " + (i + 1) + " of " + settings.rounds());
            turns.round("soak", i, this::measure);
            settings.keep(result(notes, turns));
        }
        return result(notes, turns);
    }

    private SuiteResult result(List<String> notes, Turns<Contender> turns) {
        List<String> all = new ArrayList<>(notes);
        all.addAll(turns.failures());
        return Outcome.of("soak", recorder.figures(), List.of(), all, settings);
    }

    private void measure(Contender contender, int round) throws IOException, InterruptedException {
        try (FollowedNode node = new FollowedNode(kernel, contender, programs, load.services(), load.endpoints())) {
            for (int i = 1; i <= PROBES; i++) {
                node.putProbe(i, i == 1);
            }
            Process proxy = node.start();
            node.millisUntilAnswered(proxy, 1, System.nanoTime());
            node.putProbeSlice(1, false);
            node.millisUntilRefused(proxy, 1, System.nanoTime());
            ProcessUsage before = ProcessUsage.of(List.of(proxy));
            try (SliceChanges changes = new SliceChanges(node, load.services(), load.changesPerSecond())) {
                Histogram latency = probe(node, proxy);
                changes.end();
                ProcessUsage after = ProcessUsage.of(List.of(proxy));
                String name = contender.toString();
                recorder.value(latency(50), name, round, millis(latency, 50));
                recorder.value(latency(99), name, round, millis(latency, 99));
                recorder.value(cpu(), name, round, (after.cpuSeconds() - before.cpuSeconds()) * 1e3 / changes.count());
                recorder.value(resident(), name, round, after.residentBytes() / 1e6);
            }
        }
    }

    /** The times from a change until it is in force, in microseconds. */
    private Histogram probe(FollowedNode node, Process proxy) throws IOException, InterruptedException {
        Histogram latency = new Histogram(DIGITS);
        SplittableRandom random = new SplittableRandom(1);
        long end = System.nanoTime() + load.length().toNanos();
        for (int i = 0; System.nanoTime() < end; i++) {
            int probe = 1 + i % PROBES;
            long changed = System.nanoTime();
            node.putProbeSlice(probe, true);
            record(latency, node.millisUntilAnswered(proxy, probe, changed));
            TimeUnit.MILLISECONDS.sleep(random.nextInt(GAP_MILLIS_MAX));
            changed = System.nanoTime();
            node.putProbeSlice(probe, false);
            record(latency, node.millisUntilRefused(proxy, probe, changed));
            TimeUnit.MILLISECONDS.sleep(random.nextInt(GAP_MILLIS_MAX));
        }
        return latency;
    }

    private static void record(Histogram latency, double millis) {
        latency.recordValue(Math.round(millis * 1e3));
    }

    private static double millis(Histogram latency, int percent) {
        return latency.getValueAtPercentile(percent) / 1e3;
    }

    private Quantity latency(int percent) {
        return less(load.toString(), "from a change until it is in force, p" + percent, "ms");
    }

    private Quantity cpu() {
        return less(load.toString(), "CPU of the proxy for a change", "ms");
    }

    private Quantity resident() {
        return less(load.toString(), "resident memory", "MB");
    }
}
