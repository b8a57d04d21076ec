package dev.nodepath.bench.programming;

import static dev.nodepath.bench.programming.Measured.OURS;
import static dev.nodepath.bench.suite.Recorder.Quantity.less;

import dev.nodepath.bench.programming.ProgrammingSizes.Cluster;
import dev.nodepath.bench.suite.Recorder;
import dev.nodepath.bench.suite.Recorder.Quantity;
import dev.nodepath.bench.suite.SuiteSettings;
import dev.nodepath.linux.KernelLinuxNet;
import dev.nodepath.linux.nftables.NftTables;
import dev.nodepath.linux.syscall.LinuxNetException;
import dev.nodepath.report.FigureTarget;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/** Measures syncs of nftables mode beside their bare messages, at the clusters of {@link ProgrammingSizes#nftables}. */
final class NftablesProgramming implements SuitePart {
    /** Rules differ between few and many service ports, so both are warmed up. */
    private static final List<Cluster> WARM_UP = List.of(new Cluster(100, 10), new Cluster(2000, 1));

    /** The limits in milliseconds of a first sync. */
    private static final Map<Cluster, Double> FIRST_MAX =
            Map.of(new Cluster(2000, 10), 300.0, new Cluster(10_000, 10), 2500.0, new Cluster(44_128, 1), 15_000.0);

    private static final Cluster SMALL = new Cluster(100, 10);
    private static final Cluster MEDIUM = new Cluster(2000, 10);
    private static final Cluster LARGE = new Cluster(10_000, 10);

    private static final Quantity ENDPOINT_BY_SIZE =
            less("nftables mode, by the number of Services", NftablesRound.ENDPOINT, "ms");

    private final SuiteSettings settings;
    private final List<Cluster> clusters;
    private final KernelLinuxNet kernel = new KernelLinuxNet();
    private final Measured measured = new Measured(NftablesRound.BARE);

    NftablesProgramming(SuiteSettings settings, List<Cluster> clusters) {
        this.settings = settings;
        this.clusters = clusters;
        setTargets();
    }

    @Override
    public Measured measured() {
        return measured;
    }

    /** The clusters of a round follow each other, so that they can be compared. */
    @Override
    public void measure(Runnable keep) throws Exception {
        try (NftTables nft = kernel.nftTables()) {
            if (!isThere(nft)) {
                return;
            }
            measured.note("nftables mode: \"" + NftablesRound.BARE
                    + "\" is the kernel's share: the netlink messages of the same sync, sent again from memory. \""
                    + NftablesRound.EMPTY + "\" adds the table that is there already. \"" + NftablesRound.READING
                    + "\" reads the whole table. Time starts when the watcher has the object, and ends when the"
                    + " kernel has committed.");
            for (Cluster cluster : WARM_UP) {
                NftablesRound.of(nft, cluster);
            }
            for (int round = 0; round < settings.rounds(); round++) {
                for (Cluster cluster : clusters) {
                    settings.say("nftables mode, " + cluster + ", round " + (round + 1) + " of " + settings.rounds());
                    record(cluster, round, NftablesRound.of(nft, cluster));
                }
                keep.run();
            }
        }
    }

    private boolean isThere(NftTables nft) {
        try {
            nft.generation();
            return true;
        } catch (LinuxNetException e) {
            measured.leaveOut("nftables mode: " + e.getMessage());
            return false;
        }
    }

    private void record(Cluster cluster, int round, NftablesRound measuredNow) {
        Recorder recorder = measured.recorder();
        measuredNow
                .millis()
                .forEach((what, byContender) -> byContender.forEach((contender, millis) -> {
                    recorder.value(quantity(cluster, what), contender, round, millis);
                    if (cluster.endpoints() == ProgrammingSizes.ENDPOINTS) {
                        Quantity curve = less("Services", "nftables mode: " + what, "ms");
                        recorder.point(curve, contender, cluster.services(), round, millis);
                    }
                }));
        recorder.value(restartChanges(cluster), OURS, round, (double) measuredNow.restartChanges());
        if (cluster.equals(SMALL) || cluster.equals(LARGE)) {
            Double endpoint = measuredNow
                    .millis()
                    .getOrDefault(NftablesRound.ENDPOINT, Map.of())
                    .get(OURS);
            recorder.value(ENDPOINT_BY_SIZE, cluster.toString(), round, Objects.requireNonNull(endpoint));
        }
    }

    private static Quantity quantity(Cluster cluster, String what) {
        return less("nftables mode, " + cluster, what, "ms");
    }

    private static Quantity restartChanges(Cluster cluster) {
        return less("nftables mode, " + cluster, "changes sent at a restart", "changes");
    }

    private void setTargets() {
        Recorder recorder = measured.recorder();
        for (Cluster cluster : clusters) {
            Double limit = FIRST_MAX.get(cluster);
            if (limit != null) {
                recorder.target(quantity(cluster, NftablesRound.FIRST), FigureTarget.of(OURS, limit));
            }
        }
        if (clusters.contains(MEDIUM)) {
            recorder.target(quantity(MEDIUM, NftablesRound.ENDPOINT), FigureTarget.of(OURS, 2));
            recorder.target(quantity(MEDIUM, NftablesRound.RESTART), FigureTarget.of(OURS, 300));
        }
        clusters.forEach(cluster -> recorder.target(restartChanges(cluster), FigureTarget.of(OURS, 0)));
        if (clusters.contains(SMALL) && clusters.contains(LARGE)) {
            recorder.target(ENDPOINT_BY_SIZE, FigureTarget.ratio(LARGE.toString(), SMALL.toString(), 1.5));
        }
    }
}
