package dev.nodepath.bench;

import dev.nodepath.endpoints.ChangeSet;
import dev.nodepath.endpoints.ServiceSnapshot;
import dev.nodepath.linux.IpFamily;
import dev.nodepath.linux.KernelLinuxNet;
import dev.nodepath.linux.iptables.Iptables;
import dev.nodepath.linux.iptables.IptablesCommand;
import dev.nodepath.linux.iptables.IptablesVariant;
import dev.nodepath.linux.iptables.RestoreText;
import dev.nodepath.linux.iptables.TableWatch;
import dev.nodepath.proxy.iptables.IptablesProxy;
import dev.nodepath.proxy.iptables.IptablesRules;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/**
 * How long the kernel's rules take, each figure beside its floor: the bare command that the system offers for the same work,
 * timed in the same round. Run from a checkout that has been built, as it replaces the tables of the namespace it is in:
 *
 * <pre>scripts/enclose java -cp 'target/lib/*' dev.nodepath.bench.ProgrammingBenchmark nft|legacy [SERVICES [ENDPOINTS [ROUNDS]]]</pre>
 */
public final class ProgrammingBenchmark {
    private static final String USAGE = "usage: ProgrammingBenchmark nft|legacy [SERVICES [ENDPOINTS [ROUNDS]]]";
    private static final int SERVICES = 2000;
    private static final int ENDPOINTS = 10;
    private static final int ROUNDS = 5;

    private final KernelLinuxNet kernel = new KernelLinuxNet();
    private final TableWatch watch;
    private final Iptables iptables;
    private final int services;
    private final int endpoints;

    private ProgrammingBenchmark(IptablesVariant variant, int services, int endpoints) throws IOException {
        this.watch = TableWatch.open(kernel, variant);
        this.iptables = new IptablesCommand(IpFamily.IPV4, Optional.of(variant), List.of(), watch);
        this.services = services;
        this.endpoints = endpoints;
    }

    /** A figure and its floor, in milliseconds, one value a round. */
    private record Figure(String name, List<Double> ours, List<Double> floor) {
        Figure(String name) {
            this(name, new ArrayList<>(), new ArrayList<>());
        }

        String line() {
            return String.format(
                    Locale.ROOT,
                    "%-24s %9.1f ms   floor %9.1f ms   ratio %5.2f",
                    name,
                    median(ours),
                    median(floor),
                    median(ours) / median(floor));
        }

        private static double median(List<Double> values) {
            List<Double> sorted = values.stream().sorted().toList();
            return sorted.get(sorted.size() / 2);
        }
    }

    /** Something that is timed. */
    private interface Step {
        void run() throws Exception;
    }

    /** Runs it. */
    public static void main(String[] arguments) throws Exception {
        if (arguments.length < 1 || arguments.length > 4) {
            System.err.println(USAGE);
            System.exit(2);
        }
        IptablesVariant variant = IptablesVariant.valueOf(arguments[0].toUpperCase(Locale.ROOT));
        new ProgrammingBenchmark(variant, number(arguments, 1, SERVICES), number(arguments, 2, ENDPOINTS))
                .run(number(arguments, 3, ROUNDS));
    }

    private static int number(String[] arguments, int index, int otherwise) {
        return arguments.length > index ? Integer.parseInt(arguments[index]) : otherwise;
    }

    private void run(int rounds) throws Exception {
        ServiceSnapshot snapshot = Clusters.of(services, endpoints);
        ServiceSnapshot changed = Clusters.of(services, endpoints, services / 2);
        ChangeSet change = ChangeSet.of(List.of(Clusters.name(services / 2)));
        Figure first = new Figure("first sync");
        Figure restart = new Figure("restart");
        Figure oneEndpoint = new Figure("one endpoint changes");
        System.out.printf(
                "%s, %d services x %d endpoints, medians of %d%n", iptables.version(), services, endpoints, rounds);
        for (int round = 0; round < rounds; round++) {
            String whole = RestoreText.complete(IptablesRules.of(snapshot, Clusters.CONFIG, IpFamily.IPV4));
            first.floor().add(millis(() -> iptables.restore(whole)));
            IptablesProxy.removeRules(iptables);

            IptablesProxy before = proxy();
            first.ours().add(millis(() -> before.sync(snapshot, ChangeSet.NONE)));
            restart.floor().add(millis(() -> iptables.save()));
            IptablesProxy proxy = proxy();
            restart.ours().add(millis(() -> proxy.sync(snapshot, ChangeSet.NONE)));

            iptables.restore("*nat\n:FLOOR - [0:0]\nCOMMIT\n");
            for (int i = 0; i < 5; i++) {
                oneEndpoint.floor().add(millis(() -> iptables.restore("*nat\n-A FLOOR -j RETURN\nCOMMIT\n")));
                ServiceSnapshot next = i % 2 == 0 ? changed : snapshot;
                oneEndpoint.ours().add(millis(() -> proxy.sync(next, change)));
            }
            check(proxy);
            IptablesProxy.removeRules(iptables);
        }
        for (Figure figure : List.of(first, restart, oneEndpoint)) {
            System.out.println(figure.line());
        }
        System.out.println("RSS of this process      " + residentMegabytes() + " MB");
        watch.close();
    }

    private IptablesProxy proxy() throws IOException {
        return new IptablesProxy(Clusters.CONFIG, List.of(iptables), kernel.current());
    }

    private static void check(IptablesProxy proxy) {
        long partial = proxy.stats(IpFamily.IPV4).partialSyncs();
        if (partial != 5) {
            throw new IllegalStateException("partial syncs: " + partial + " (expected: 5)");
        }
    }

    private static double millis(Step step) throws Exception {
        long start = System.nanoTime();
        step.run();
        return (System.nanoTime() - start) / 1e6;
    }

    private static long residentMegabytes() throws IOException {
        return Files.readAllLines(Path.of("/proc/self/status")).stream()
                        .filter(line -> line.startsWith("VmRSS:"))
                        .map(line -> line.replaceAll("[^0-9]", ""))
                        .mapToLong(Long::parseLong)
                        .findFirst()
                        .orElse(0)
                / 1024;
    }
}
