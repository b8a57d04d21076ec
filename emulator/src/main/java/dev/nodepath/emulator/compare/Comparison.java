package dev.nodepath.emulator.compare;

import dev.nodepath.agent.options.ProxyMode;
import dev.nodepath.emulator.cluster.Cluster;
import dev.nodepath.report.ClusterMap;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;

/**
 * The whole comparison on one cluster. It checks each mode from each caller, and measures it together with the direct
 * path.
 */
public final class Comparison {
    /** Backends on both nodes. */
    private static final String SPREAD_SERVICE = "web";
    /** Backends on n1 only. */
    private static final String MEASURED_SERVICE = "web-n1";

    private static final String HAIRPIN_SERVICE = "solo";
    private static final String EMPTY_SERVICE = "void";
    private static final String HAIRPIN_POD = "solo";
    private static final String VICTIM_POD = "web-3";

    private static final int PATHS = 4;
    /** Starts of the cluster and of its agents, and the checks. */
    private static final Duration AROUND_MEASUREMENTS = Duration.ofSeconds(30);

    private final Cluster cluster;
    private final Progress progress;
    private final Targets targets;
    private final Checks checks;
    private final ReachabilityCheck reachability;
    private final RefusalCheck refusal;
    private final HairpinCheck hairpin;
    private final ReadinessCheck readiness;
    private final LoadMeasurement load;
    private final List<ObservedAnswers> seen = new ArrayList<>();
    private final List<Measurement> measurements = new ArrayList<>();
    private int rounds;

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
        this.targets = new Targets(cluster);
        ExpectedSource source = new ExpectedSource(cluster);
        this.reachability = new ReachabilityCheck(targets, source, checks);
        this.refusal = new RefusalCheck(targets, checks);
        this.hairpin = new HairpinCheck(targets, source, checks);
        this.readiness = new ReadinessCheck(cluster, targets, checks);
        this.load = new LoadMeasurement(targets, length, checks);
    }

    /** How long a run takes on an idle machine, with the start and the end of its cluster. */
    public static Duration estimate(Duration length) {
        long measured = Stream.of(Mode.values()).filter(Mode::isMeasured).count();
        return LoadMeasurement.besideDirectTakes(length)
                .multipliedBy(measured * PATHS)
                .plus(AROUND_MEASUREMENTS);
    }

    /** Runs the comparison. The result has failed checks; it throws only if it cannot go on. */
    public ComparisonResult run() throws IOException, InterruptedException {
        for (Mode mode : Mode.values()) {
            if (mode.proxy().isPresent()) {
                switchTo(mode, mode.proxy().get());
            }
            if (mode.needsWarmUp()) {
                warmUp(mode);
            }
            for (Caller caller : callers()) {
                seen.add(reachability.run(mode, caller, SPREAD_SERVICE));
            }
            if (mode.isMeasured()) {
                measure(mode);
                checkServices(mode);
            }
            if (mode.proxy().isPresent()) {
                hairpin.run(mode, podCaller("hairpin", HAIRPIN_POD, "n2"), HAIRPIN_SERVICE);
            }
        }
        ClusterMap map = new ComparedCluster(cluster, callers(), targets.backends(SPREAD_SERVICE)).map();
        progress.say("removing the pods");
        List<String> left = cluster.removePods();
        checks.expect(
                "cni",
                "DEL of every pod leaves no veth and no reserved address",
                left.isEmpty(),
                left.isEmpty() ? "nothing left" : "left: " + left);
        return new ComparisonResult(seen, new Measurements(measurements), checks.all(), map);
    }

    private void switchTo(Mode mode, ProxyMode proxy) throws IOException, InterruptedException {
        progress.say(mode + ": starting the agents of both nodes");
        long start = System.nanoTime();
        cluster.switchTo(proxy, mode.keepsClientAddress());
        progress.say(mode + ": agents on both nodes have synced, "
                + Duration.ofNanos(System.nanoTime() - start).toMillis() + " ms after their start");
    }

    /**
     * Warms up the proxies of both nodes, by calls from pods. Calls from outside and from the nodes use the same
     * proxies.
     */
    private void warmUp(Mode mode) throws IOException {
        progress.say(mode + ": warming up");
        for (Caller caller : callers()) {
            if (caller.kind() == Caller.Kind.POD) {
                load.warmUp(mode, caller, MEASURED_SERVICE);
            }
        }
        progress.say(mode + ": warm");
    }

    private void measure(Mode mode) throws IOException {
        int firstRound = rounds;
        rounds += LoadMeasurement.ROUNDS;
        progress.say(String.format(
                Locale.ROOT,
                "%s: measuring beside the direct path, from %d places, about %.1f s each",
                mode,
                PATHS,
                LoadMeasurement.besideDirectTakes(load.length()).toMillis() / 1e3));
        for (Caller caller : callers()) {
            measurements.addAll(load.besideDirect(mode, caller, MEASURED_SERVICE, firstRound));
            progress.say(summary(new Measurements(measurements), mode.toString(), caller.path()));
        }
    }

    private void checkServices(Mode mode) throws IOException, InterruptedException {
        progress.say(mode + ": checking a Service without endpoints, and a backend that turns unready under load");
        List<Caller> callers = callers();
        for (Caller caller : callers) {
            refusal.run(mode, caller, EMPTY_SERVICE);
        }
        checkReadiness(mode, callers.get(0));
    }

    private void checkReadiness(Mode mode, Caller caller) throws InterruptedException {
        try {
            readiness.run(mode, caller, SPREAD_SERVICE, VICTIM_POD);
        } catch (IOException e) {
            checks.expect(
                    mode, "a backend can turn unready and ready under load", false, String.valueOf(e.getMessage()));
        }
    }

    private List<Caller> callers() {
        return List.of(
                podCaller("pod, same node", "client-1", "n1"),
                podCaller("pod, other node", "client-2", "n2"),
                new Caller("node itself", cluster.node("n1"), "n1", Caller.Kind.NODE, cluster.nodeAddress("n1")),
                new Caller("outside, NodePort", cluster.client(), "n1", Caller.Kind.OUTSIDE, cluster.clientAddress()));
    }

    private Caller podCaller(String path, String pod, String node) {
        return new Caller(
                path,
                cluster.podNetwork(pod),
                node,
                Caller.Kind.POD,
                cluster.pod(pod).address());
    }

    private static String summary(Measurements measurements, String mode, String path) {
        return String.format(
                Locale.ROOT,
                "%s: %s: %,.0f req/s, %.2f of direct; %,.0f new connections/s, %.2f; %.1f Gb/s, %.2f",
                mode,
                path,
                measurements.samples(mode, path, Measurement::requestsPerSecond).median(),
                measurements.share(mode, path, Measurement::requestsPerSecond).median(),
                measurements
                        .samples(mode, path, Measurement::connectionsPerSecond)
                        .median(),
                measurements
                        .share(mode, path, Measurement::connectionsPerSecond)
                        .median(),
                measurements.samples(mode, path, Measurement::gigabitsPerSecond).median(),
                measurements.share(mode, path, Measurement::gigabitsPerSecond).median());
    }
}
