package dev.nodepath.bench.programming;

import static dev.nodepath.bench.programming.Measured.OURS;
import static dev.nodepath.bench.programming.Measured.median;
import static dev.nodepath.bench.programming.Measured.millis;
import static dev.nodepath.bench.suite.Recorder.Quantity.less;

import dev.nodepath.bench.suite.Recorder.Quantity;
import dev.nodepath.bench.suite.SuiteSettings;
import dev.nodepath.bench.testbed.Command;
import dev.nodepath.bench.testbed.GeneratedClusters;
import dev.nodepath.endpoints.ChangeSet;
import dev.nodepath.endpoints.SnapshotTracker.Update;
import dev.nodepath.linux.KernelLinuxNet;
import dev.nodepath.linux.address.IpFamily;
import dev.nodepath.linux.iptables.Iptables;
import dev.nodepath.linux.iptables.IptablesCommand;
import dev.nodepath.linux.iptables.IptablesException;
import dev.nodepath.linux.iptables.IptablesVariant;
import dev.nodepath.linux.iptables.RestoreText;
import dev.nodepath.linux.iptables.Table;
import dev.nodepath.linux.iptables.TableWatch;
import dev.nodepath.proxy.iptables.IptablesProxy;
import dev.nodepath.proxy.iptables.IptablesRules;
import dev.nodepath.report.FigureTarget;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Measures syncs of iptables mode beside the bare commands, with both variants of iptables, at the clusters of {@link
 * ProgrammingSizes#iptables}.
 */
final class IptablesProgramming implements SuitePart {
    private static final String FLOOR = "bare command";
    private static final int CHANGED_AT_ONCE = 100;
    /** The number of repetitions of a change in a round; the round's value is their median. */
    private static final int CHANGES = 5;

    private static final String FIRST = "first sync into empty tables";
    private static final String RESTART = "restart, nothing changed";
    private static final String ENDPOINT = "one endpoint changed";
    private static final String MANY = "100 Services changed at once";
    private static final String ADDED = "a Service added";
    private static final String REMOVED = "a Service removed";
    private static final String SPARE_CHAIN = "NODEPATH-BENCH";
    /** Empty tables. Removing our rules by name would list them first, which takes longer than a sync. */
    private static final String NOTHING = Stream.of(Table.values())
            .map(table -> "*" + table + "\n-F\n-X\nCOMMIT\n")
            .collect(Collectors.joining());

    private final SuiteSettings settings;
    private final ProgrammingSizes sizes;
    private final KernelLinuxNet kernel = new KernelLinuxNet();
    private final Measured measured = new Measured(FLOOR);

    IptablesProgramming(SuiteSettings settings, ProgrammingSizes sizes) {
        this.settings = settings;
        this.sizes = sizes;
    }

    @Override
    public Measured measured() {
        return measured;
    }

    @Override
    public void measure(Runnable keep) throws Exception {
        measured.note("iptables mode: the floor is the least possible time: for a change one restore of the changed"
                + " rules, for the first sync one restore of the whole text, for a restart one listing of the tables."
                + " With fewer than 101 Services, all but one change at once. Time starts when the watcher has the"
                + " object, without the wait between two syncs (--iptables-min-sync-period).");
        setTargets();
        for (int size : sizes.iptables()) {
            for (int round = 0; round < settings.rounds(); round++) {
                for (IptablesVariant variant : IptablesVariant.values()) {
                    settings.say(name(variant) + ", " + size + " Services, round " + (round + 1) + " of "
                            + settings.rounds());
                    measure(variant, size, round);
                }
            }
            keep.run();
        }
    }

    /** A variant that is not installed, or missing in the kernel, is left out with a note. */
    private void measure(IptablesVariant variant, int size, int round) throws Exception {
        String program = program(variant);
        if (!Command.exists(program)) {
            measured.leaveOut(program + ": not installed (Debian package iptables)");
            return;
        }
        if (isTooLarge(variant, size)) {
            measured.leaveOut(name(variant) + ", " + size
                    + " Services: one restore of the whole text, because its time grows with the"
                    + " square of the rules, to more than the two minutes that a command may take");
            measured.leaveOut(name(variant) + ", " + size
                    + " Services: the restart in all rounds but the first, because a listing of the"
                    + " tables takes most of a minute, with the square of the rules too; so its spread is not known");
        }
        try (TableWatch watch = TableWatch.open(kernel, variant)) {
            Iptables iptables = new IptablesCommand(IpFamily.IPV4, Optional.of(variant), watch);
            if (round == 0) {
                // Warms up the compiler, because a real process runs for days.
                new Round(variant, iptables, Math.min(size, 100), Optional.empty()).run();
            }
            new Round(variant, iptables, size, Optional.of(round)).run();
        } catch (IptablesException e) {
            measured.leaveOut(name(variant) + ": " + e.getMessage());
        }
    }

    private static String program(IptablesVariant variant) {
        return "iptables-" + variant.toString().toLowerCase(Locale.ROOT) + "-restore";
    }

    private boolean isTooLarge(IptablesVariant variant, int size) {
        return variant == IptablesVariant.NFT && size > sizes.nftWholeMax();
    }

    /** Sets targets for installed variants: at the usual size if it is measured, else at the largest. */
    private void setTargets() {
        List<Integer> all = sizes.iptables();
        int usual = ProgrammingSizes.WITH_TARGETS;
        int size = all.contains(usual) ? usual : all.get(all.size() - 1);
        for (IptablesVariant variant : IptablesVariant.values()) {
            if (!Command.exists(program(variant))) {
                continue;
            }
            if (!isTooLarge(variant, size)) {
                measured.recorder().target(quantity(variant, size, FIRST), FigureTarget.ratio(OURS, FLOOR, 1.2));
            }
            measured.recorder().target(quantity(variant, size, RESTART), FigureTarget.ratio(OURS, FLOOR, 1.5));
            measured.recorder().target(quantity(variant, size, ENDPOINT), FigureTarget.ratio(OURS, FLOOR, 1.5));
        }
    }

    private static Quantity quantity(IptablesVariant variant, int size, String what) {
        return less(name(variant) + ", " + size + " Services x " + ProgrammingSizes.ENDPOINTS, what, "ms");
    }

    private static String name(IptablesVariant variant) {
        return "iptables, "
                + (variant == IptablesVariant.NFT
                        ? "nf_tables"
                        : variant.toString().toLowerCase(Locale.ROOT));
    }

    /** One round of one variant and size; without a number it is not recorded. */
    private final class Round {
        private final IptablesVariant variant;
        private final Iptables iptables;
        private final int size;
        private final Optional<Integer> number;
        private final ChangingCluster cluster;

        Round(IptablesVariant variant, Iptables iptables, int size, Optional<Integer> number) {
            this.variant = variant;
            this.iptables = iptables;
            this.size = size;
            this.number = number;
            // The last Service is added and removed.
            this.cluster = new ChangingCluster(size - 1, ProgrammingSizes.ENDPOINTS);
        }

        void run() throws Exception {
            Update all = cluster.commit();
            String whole =
                    RestoreText.complete(IptablesRules.of(all.snapshot(), GeneratedClusters.CONFIG, IpFamily.IPV4));
            iptables.restore(NOTHING);
            if (!isTooLarge(variant, size)) {
                record(FIRST, FLOOR, millis(() -> iptables.restore(whole)));
                iptables.restore(NOTHING);
            }
            IptablesProxy first = proxy();
            record(FIRST, OURS, millis(() -> first.sync(all.snapshot(), ChangeSet.NONE)));
            boolean restarts = !isTooLarge(variant, size) || number.orElse(0) == 0;
            changes(restarts ? restarted(all) : first);
            iptables.restore(NOTHING);
        }

        private IptablesProxy restarted(Update all) throws Exception {
            record(RESTART, FLOOR, millis(() -> iptables.save()));
            IptablesProxy proxy = proxy();
            record(RESTART, OURS, millis(() -> proxy.sync(all.snapshot(), ChangeSet.NONE)));
            return proxy;
        }

        private void changes(IptablesProxy proxy) throws Exception {
            iptables.restore("*nat\n:" + SPARE_CHAIN + " - [0:0]\nCOMMIT\n");
            int one = size / 2;
            long before = proxy.stats(IpFamily.IPV4).partialSyncs();
            change(proxy, ENDPOINT, 1, i -> cluster.putSlice(one, i));
            int many = Math.min(CHANGED_AT_ONCE, size - 1);
            change(proxy, MANY, many, i -> {
                for (int service = 0; service < many; service++) {
                    cluster.putSlice(service, i);
                }
            });
            int rulesOfService = rulesOfOneService();
            List<Double> added = new ArrayList<>();
            List<Double> removed = new ArrayList<>();
            List<Double> floor = new ArrayList<>();
            for (int i = 0; i < CHANGES; i++) {
                floor.add(millis(() -> iptables.restore(spareRules(rulesOfService))));
                added.add(millis(() -> sync(proxy, () -> cluster.put(size - 1))));
                removed.add(millis(() -> sync(proxy, () -> cluster.remove(size - 1))));
            }
            for (String what : List.of(ADDED, REMOVED)) {
                record(what, FLOOR, median(floor));
            }
            record(ADDED, OURS, median(added));
            record(REMOVED, OURS, median(removed));
            long partial = proxy.stats(IpFamily.IPV4).partialSyncs() - before;
            // Every 30 s a proxy checks whether other programs changed its tables, which the rules of the floor do.
            // These few syncs do not move a median.
            if (partial < 4 * CHANGES - CHANGES / 2 || partial > 4 * CHANGES) {
                throw new IOException(
                        "partial syncs: " + partial + " (expected: " + 4 * CHANGES + ", or " + CHANGES / 2 + " less)");
            }
        }

        private void change(IptablesProxy proxy, String what, int rules, Event event) throws Exception {
            List<Double> ours = new ArrayList<>();
            List<Double> floor = new ArrayList<>();
            for (int i = 0; i < CHANGES; i++) {
                int version = i;
                floor.add(millis(() -> iptables.restore(spareRules(rules))));
                ours.add(millis(() -> sync(proxy, () -> event.happen(version))));
            }
            record(what, FLOOR, median(floor));
            record(what, OURS, median(ours));
        }

        private void sync(IptablesProxy proxy, Runnable event) throws Exception {
            event.run();
            Update update = cluster.commit();
            proxy.sync(update.snapshot(), update.change());
        }

        private IptablesProxy proxy() throws IOException {
            return new IptablesProxy(
                    GeneratedClusters.CONFIG,
                    List.of(iptables),
                    kernel.current(),
                    Optional.of(kernel.packetCounters()));
        }

        private int rulesOfOneService() {
            String with = RestoreText.complete(IptablesRules.of(
                    new ChangingCluster(1, ProgrammingSizes.ENDPOINTS).commit().snapshot(),
                    GeneratedClusters.CONFIG,
                    IpFamily.IPV4));
            String without = RestoreText.complete(IptablesRules.of(
                    new ChangingCluster(0, ProgrammingSizes.ENDPOINTS).commit().snapshot(),
                    GeneratedClusters.CONFIG,
                    IpFamily.IPV4));
            return (int) (with.lines().filter(line -> line.startsWith("-A")).count()
                    - without.lines().filter(line -> line.startsWith("-A")).count());
        }

        private void record(String what, String contender, double millis) {
            number.ifPresent(round -> {
                measured.recorder().value(quantity(variant, size, what), contender, round, millis);
                measured.recorder()
                        .point(less("Services", name(variant) + ": " + what, "ms"), contender, size, round, millis);
            });
        }
    }

    private interface Event {
        void happen(int version);
    }

    private static String spareRules(int rules) {
        return "*nat\n" + ("-A " + SPARE_CHAIN + " -j RETURN\n").repeat(rules) + "COMMIT\n";
    }
}
