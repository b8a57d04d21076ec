package dev.nodepath.emulator.compare;

import dev.nodepath.emulator.cluster.Cluster;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** The whole comparison on one cluster: each mode in turn, from each vantage, checked and measured. */
public final class Comparison {
    /** Backends on both nodes. */
    private static final String SPREAD_SERVICE = "web";
    /** Backends on n1 only. */
    private static final String MEASURED_SERVICE = "web-n1";

    private static final String HAIRPIN_SERVICE = "solo";
    private static final String EMPTY_SERVICE = "void";
    private static final String HAIRPIN_POD = "solo";
    private static final String VICTIM_POD = "web-3";
    /** Of each kind of load from each vantage, before the first measurement of a mode: compilers have to see it. */
    private static final Duration WARM_UP_EACH = Duration.ofMillis(300);

    private final Cluster cluster;
    private final Progress progress;
    private final Checks checks;
    private final ReachabilityCheck reachability;
    private final RefusalCheck refusal;
    private final HairpinCheck hairpin;
    private final ReadinessCheck readiness;
    private final LoadMeasurement load;

    /**
     * A comparison.
     *
     * @param cluster the two-node cluster of {@code two-nodes.yaml}, its pods ready, its agents without a proxy
     * @param length of each measurement
     */
    public Comparison(Cluster cluster, Duration length, Progress progress) {
        this.cluster = cluster;
        this.progress = progress;
        this.checks = new Checks(progress);
        Targets targets = new Targets(cluster);
        ExpectedSource source = new ExpectedSource(cluster);
        this.reachability = new ReachabilityCheck(targets, source, checks);
        this.refusal = new RefusalCheck(targets, checks);
        this.hairpin = new HairpinCheck(targets, source, checks);
        this.readiness = new ReadinessCheck(cluster, targets, checks);
        this.load = new LoadMeasurement(targets, length, checks);
    }

    /** Runs it; unmet expectations are in the result, only what makes it impossible to go on is thrown. */
    public ComparisonResult run() throws IOException, InterruptedException {
        List<Measurement> measurements = new ArrayList<>();
        for (Mode mode : Mode.values()) {
            measurements.addAll(run(mode));
        }
        List<String> left = cluster.removePods();
        checks.expect(
                "cni",
                "DEL of every pod leaves no veth and no reserved address",
                left.isEmpty(),
                left.isEmpty() ? "nothing left" : "left: " + left);
        return new ComparisonResult(new Measurements(measurements), checks.all());
    }

    private List<Measurement> run(Mode mode) throws IOException, InterruptedException {
        if (mode.proxy().isPresent()) {
            long start = System.nanoTime();
            cluster.switchTo(mode.proxy().get());
            progress.say(mode + ": agents on both nodes have synced, "
                    + Duration.ofNanos(System.nanoTime() - start).toMillis() + " ms after their start");
        }
        List<Vantage> vantages = vantages();
        for (Vantage vantage : vantages) {
            load.warmUp(mode, vantage, MEASURED_SERVICE, WARM_UP_EACH);
        }
        List<Measurement> measurements = new ArrayList<>();
        for (Vantage vantage : vantages) {
            ReachabilityCheck.Seen seen = reachability.run(mode, vantage, SPREAD_SERVICE);
            Measurement measurement = load.run(mode, vantage, MEASURED_SERVICE, seen);
            measurements.add(measurement);
            progress.say(summary(measurement));
        }
        if (mode.proxy().isPresent()) {
            for (Vantage vantage : vantages) {
                refusal.run(mode, vantage, EMPTY_SERVICE);
            }
            hairpin.run(mode, podVantage("hairpin", HAIRPIN_POD, "n2"), HAIRPIN_SERVICE);
            checkReadiness(mode, vantages.get(0));
        }
        return measurements;
    }

    private void checkReadiness(Mode mode, Vantage vantage) throws InterruptedException {
        try {
            readiness.run(mode, vantage, SPREAD_SERVICE, VICTIM_POD);
        } catch (IOException e) {
            checks.expect(
                    mode, "a backend can turn unready and ready under load", false, String.valueOf(e.getMessage()));
        }
    }

    private List<Vantage> vantages() {
        return List.of(
                podVantage("pod, same node", "client-1", "n1"),
                podVantage("pod, other node", "client-2", "n2"),
                new Vantage("node itself", cluster.node("n1"), "n1", Vantage.Kind.NODE, cluster.nodeAddress("n1")),
                new Vantage(
                        "outside, NodePort", cluster.client(), "n1", Vantage.Kind.OUTSIDE, cluster.clientAddress()));
    }

    private Vantage podVantage(String path, String pod, String node) {
        return new Vantage(path, cluster.pod(pod), node, Vantage.Kind.POD, cluster.podAddress(pod));
    }

    private static String summary(Measurement measurement) {
        return String.format(
                Locale.ROOT,
                "%s: %s: %,.0f req/s, p50 %,.0f us, p99 %,.0f us; %,.0f new connections/s; %.1f Gb/s",
                measurement.mode(),
                measurement.path(),
                measurement.requestsPerSecond(),
                measurement.p50Micros(),
                measurement.p99Micros(),
                measurement.connectionsPerSecond(),
                measurement.gigabitsPerSecond());
    }
}
