package dev.nodepath.bench.cni;

import dev.nodepath.bench.suite.Outcome;
import dev.nodepath.bench.suite.Suite;
import dev.nodepath.bench.suite.SuiteSettings;
import dev.nodepath.emulator.enclosure.Installation;
import dev.nodepath.linux.KernelLinuxNet;
import dev.nodepath.report.Figure;
import dev.nodepath.report.FigureTarget;
import dev.nodepath.report.Samples;
import dev.nodepath.report.SuiteResult;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.IntStream;

/**
 * Measures calls of the plugin, with a server and in a JVM of their own, and of Debian's bridge plugin with
 * host-local.
 */
public final class CniSuite implements Suite {
    private static final Path DEBIANS = Path.of("/usr/lib/cni/bridge");
    /** A round's value is the median of this many calls. The contenders take turns. */
    private static final int CALLS_PER_ROUND = 12;

    private static final int QUICK_CALLS_PER_ROUND = 4;
    private static final int AT_ONCE = 20;
    private static final int AT_ONCE_PER_ROUND = 4;
    private static final int TAKEN = 10_000;
    private static final int WARM_UPS = 300;
    private static final PluginContender NOTHING = new PluginContender("true", Path.of("/bin/true"), 0);

    private static final String SERVED = "served";
    private static final String STANDALONE = "standalone";
    private static final String DEBIAN = "debian";
    private static final String MASQUERADE = "\"ipMasq\":true,";

    private final List<Figure> figures = new ArrayList<>();
    private final List<String> notes = new ArrayList<>();
    private final Set<String> refusals = new HashSet<>();
    private final Map<String, List<Double>> samples = new LinkedHashMap<>();
    private int rounds = SuiteSettings.ROUNDS;

    @Override
    public String name() {
        return "cni";
    }

    @Override
    public SuiteResult run(SuiteSettings settings) throws Exception {
        figures.clear();
        notes.clear();
        rounds = settings.rounds();
        int calls = rounds * (settings.quick() ? QUICK_CALLS_PER_ROUND : CALLS_PER_ROUND);
        Path scripts = Installation.scripts();
        Path bin = scripts.resolveSibling("target").resolve("bin");
        PluginContender served = new PluginContender(SERVED, bin.resolve("nodepath-bridge"), 1);
        PluginContender standalone = new PluginContender(STANDALONE, bin.resolve("nodepath-bridge-jvm"), 2);
        List<PluginContender> debian = debian(settings);
        List<PluginContender> both = with(debian, served);
        try (Server server = new Server(scripts)) {
            warmUp(served);
            addAndDelete("", with(debian, served, standalone), plainJvm(bin), calls, "", 0.6, 0.8);
            settings.keep(result());
            addAndDelete(" with ipMasq", both, List.of(), calls, MASQUERADE, 0.35, 0.25);
            settings.keep(result());
            atOnce(both, rounds * AT_ONCE_PER_ROUND);
            settings.keep(result());
            questions(served, with(debian, served, standalone), calls);
            takenAddresses(both, calls);
            figures.add(figure("a thread that starts and ends", "ms", Map.of(SERVED, threads()), Optional.empty()));
            figures.add(figure(
                    "RSS of the server",
                    "MB",
                    Map.of(SERVED, Samples.of(server.residentMegabytes())),
                    limit(SERVED, 80)));
        }
        return result();
    }

    private List<PluginContender> debian(SuiteSettings settings) {
        if (!settings.peers().include("debian-cni")) {
            notes.add("Debian's plugins: not measured, because of --peers.");
            return List.of();
        }
        if (!Files.isExecutable(DEBIANS)) {
            notes.add("Debian's plugins: not measured, because " + DEBIANS
                    + " is missing (Debian package containernetworking-plugins).");
            return List.of();
        }
        return List.of(new PluginContender(DEBIAN, DEBIANS, 3));
    }

    /** The contender; empty with a note if it cannot run. */
    private List<PluginContender> plainJvm(Path bin) throws InterruptedException {
        try {
            PluginContender java = PlainJvm.of(bin.resolve("nodepath-bridge-jvm"), Path.of("/run/bench-java"));
            java.call("", "", "", "");
            return List.of(java);
        } catch (IOException | PluginContender.Refusal e) {
            notes.add("A JVM that prints its version: not measured, because of "
                    + String.valueOf(e.getMessage()).strip());
            return List.of();
        }
    }

    private static List<PluginContender> with(List<PluginContender> peers, PluginContender... own) {
        List<PluginContender> all = new ArrayList<>(List.of(own));
        all.addAll(peers);
        return all;
    }

    private SuiteResult result() {
        Figure add = figures.get(0);
        String verdict = String.format(
                Locale.ROOT,
                "A served ADD takes %.1f ms%s; %s",
                add.samples(SERVED).median(),
                add.ratio(SERVED)
                        .map(ratio -> String.format(Locale.ROOT, ", %.2f of Debian's", ratio.median()))
                        .orElse(""),
                Outcome.verdict(figures));
        return new SuiteResult(
                name(), verdict, figures, List.of(), List.of(), notes, Map.of(), "scripts/nodepath bench cni", false);
    }

    /** A server that runs for days has compiled its code. The JVM compiles a method after 200 calls. */
    private void warmUp(PluginContender served) throws Exception {
        withContainers(List.of(container(served)), () -> {
            for (int i = 0; i < WARM_UPS; i++) {
                one(served, "");
            }
        });
    }

    private void addAndDelete(
            String how,
            List<PluginContender> contenders,
            List<PluginContender> plainJvm,
            int calls,
            String members,
            double addLimit,
            double deleteLimit)
            throws Exception {
        samples.clear();
        withContainers(contenders.stream().map(CniSuite::container).toList(), () -> {
            for (int i = 0; i < calls; i++) {
                for (PluginContender contender : contenders) {
                    one(contender, members);
                }
                for (PluginContender java : plainJvm) {
                    version(java);
                }
            }
        });
        figures.add(figure("ADD" + how, "ADD", contenders, ratio(addLimit)));
        figures.add(figure("DEL" + how, "DEL", contenders, ratio(deleteLimit)));
        if (!plainJvm.isEmpty()) {
            figures.add(figure("a JVM that prints its version", "", plainJvm, Optional.empty()));
        }
        if (contenders.stream().anyMatch(contender -> contender.name().equals(STANDALONE))) {
            figures.add(figure(
                    "ADD in a JVM of its own",
                    "ms",
                    Map.of(STANDALONE, perRound(STANDALONE + "ADD")),
                    limit(STANDALONE, 120)));
        }
    }

    private interface Work {
        void run() throws Exception;
    }

    /**
     * Uses namespaces that outlive the calls: the kernel removes a namespace in the background and holds the lock that
     * the next call needs.
     */
    private void withContainers(List<String> ids, Work work) throws Exception {
        try {
            for (String id : ids) {
                net().create(id).close();
            }
            work.run();
        } finally {
            for (String id : ids) {
                net().delete(id);
            }
        }
    }

    /** Not a field: it loads the C library, and every start of the command line makes this suite. */
    private static KernelLinuxNet net() {
        return new KernelLinuxNet();
    }

    private static String container(PluginContender contender) {
        return "pod-" + contender.name();
    }

    /** Adds and deletes one container; a contender that fails gives no sample. */
    private void one(PluginContender contender, String members) throws Exception {
        String id = container(contender);
        try {
            String config = contender.config("bench", members);
            String netns = net().path(id).toString();
            sample(contender, "ADD", contender.call("ADD", id, netns, config));
            sample(contender, "DEL", contender.call("DEL", id, netns, config));
        } catch (PluginContender.Refusal e) {
            tell(e);
        }
    }

    private void version(PluginContender java) throws Exception {
        try {
            sample(java, "", java.call("", "", "", ""));
        } catch (PluginContender.Refusal e) {
            tell(e);
        }
    }

    /** Reports each refusal once; the figure counts them. */
    private void tell(PluginContender.Refusal refusal) {
        if (refusals.add(String.valueOf(refusal.getMessage()))) {
            System.err.print(refusal.getMessage());
        }
    }

    /** The time until the last of twenty calls is done. */
    private void atOnce(List<PluginContender> contenders, int calls) throws Exception {
        samples.clear();
        List<String> pods = IntStream.range(0, AT_ONCE).mapToObj(i -> "pod" + i).toList();
        ExecutorService threads = Executors.newFixedThreadPool(AT_ONCE);
        try {
            withContainers(pods, () -> {
                for (int i = 0; i < calls; i++) {
                    for (PluginContender contender : contenders) {
                        for (String command : List.of("ADD", "DEL")) {
                            sample(contender, command, together(contender, command, pods, threads));
                        }
                    }
                    sample(NOTHING, "", together(NOTHING, "", pods, threads));
                }
            });
        } finally {
            threads.shutdownNow();
        }
        figures.add(figure(AT_ONCE + " processes at once that do nothing", "", List.of(NOTHING), Optional.empty()));
        figures.add(figure(AT_ONCE + " ADDs at once", "ADD", contenders, ratio(0.6)));
        figures.add(figure(AT_ONCE + " DELs at once", "DEL", contenders, ratio(0.3)));
    }

    private double together(PluginContender contender, String command, List<String> pods, ExecutorService threads)
            throws Exception {
        String config = contender.config("bench", "");
        List<Callable<Double>> calls = new ArrayList<>();
        for (String pod : pods) {
            String netns = net().path(pod).toString();
            calls.add(() -> contender.call(command, pod, netns, config));
        }
        long start = System.nanoTime();
        for (Future<Double> call : threads.invokeAll(calls)) {
            call.get();
        }
        return (System.nanoTime() - start) / 1e6;
    }

    /** Calls without a container; the last line has the cost of starting any process. */
    private void questions(PluginContender served, List<PluginContender> contenders, int calls) throws Exception {
        samples.clear();
        String status = served.config("bench", "").replace("\"cniVersion\":\"1.0.0\"", "\"cniVersion\":\"1.1.0\"");
        for (int i = 0; i < calls; i++) {
            for (PluginContender contender : with(contenders, NOTHING)) {
                sample(contender, "VERSION", contender.call("VERSION", "", "", ""));
            }
            try {
                sample(served, "STATUS", served.call("STATUS", "", "", status));
            } catch (PluginContender.Refusal e) {
                tell(e);
            }
        }
        Samples floor = perRound("trueVERSION");
        figures.add(figure("a process that does nothing", "ms", Map.of("true", floor), Optional.empty()));
        figures.add(figure("VERSION", "VERSION", contenders, Optional.empty()));
        for (String command : List.of("VERSION", "STATUS")) {
            figures.add(figure(
                    command + " beyond a process that does nothing",
                    "ms",
                    Map.of(SERVED, beyond(perRound(SERVED + command), floor)),
                    limit(SERVED, 1)));
        }
    }

    /** An ADD must not read the addresses of other containers. */
    private void takenAddresses(List<PluginContender> contenders, int calls) throws Exception {
        samples.clear();
        for (PluginContender contender : contenders) {
            Path folder = Files.createDirectories(Path.of("/run/bench-" + contender.name(), "full"));
            for (int i = 0; i < TAKEN; i++) {
                String address = "10." + contender.number() + "." + (i / 250) + "." + (i % 250 + 1);
                Files.writeString(folder.resolve(address), "other-" + i + "\r\neth0");
            }
            Files.writeString(folder.resolve("last_reserved_ip.0"), "10." + contender.number() + ".39.250");
        }
        withContainers(contenders.stream().map(CniSuite::container).toList(), () -> {
            for (int i = 0; i < calls; i++) {
                for (PluginContender contender : contenders) {
                    for (String network : List.of("bench", "full")) {
                        String id = container(contender);
                        String netns = net().path(id).toString();
                        String config = contender.config(network, "");
                        sample(contender, network, contender.call("ADD", id, netns, config));
                        contender.call("DEL", id, netns, config);
                    }
                }
            }
        });
        figures.add(figure("ADD beside " + TAKEN + " addresses", "full", contenders, Optional.empty()));
        figures.add(figure(
                "the same / into an empty range",
                "x",
                Map.of(SERVED, perRound(SERVED + "full").over(perRound(SERVED + "bench"))),
                limit(SERVED, 1.2)));
    }

    /** The cost of a thread for each call. */
    private Samples threads() throws InterruptedException {
        List<Double> perRound = new ArrayList<>();
        for (int i = 0; i < rounds; i++) {
            perRound.add(threadMillis());
        }
        return new Samples(perRound);
    }

    private static double threadMillis() throws InterruptedException {
        int threads = 2_000;
        long start = System.nanoTime();
        for (int i = 0; i < threads; i++) {
            Thread thread = new Thread(() -> {});
            thread.start();
            thread.join();
        }
        return (System.nanoTime() - start) / 1e6 / threads;
    }

    private void sample(PluginContender contender, String kind, double millis) {
        samples.computeIfAbsent(contender.name() + kind, missing -> new ArrayList<>())
                .add(millis);
    }

    /**
     * The median of each round's calls. Rounds are equal parts of the whole time, and contenders take turns in each.
     */
    private Samples perRound(String key) {
        List<Double> calls = samples.getOrDefault(key, List.of());
        List<Double> medians = new ArrayList<>();
        for (int round = 0; round < rounds; round++) {
            int from = round * calls.size() / rounds;
            int to = (round + 1) * calls.size() / rounds;
            medians.add(new Samples(calls.subList(from, to)).median());
        }
        return new Samples(medians);
    }

    private static Samples beyond(Samples values, Samples floor) {
        List<Double> differences = new ArrayList<>();
        for (int i = 0; i < values.perRound().size(); i++) {
            differences.add(values.perRound().get(i) - floor.perRound().get(i));
        }
        return new Samples(differences);
    }

    private Figure figure(String what, String kind, List<PluginContender> contenders, Optional<FigureTarget> target) {
        Map<String, Samples> values = new LinkedHashMap<>();
        contenders.forEach(contender -> values.put(contender.name(), perRound(contender.name() + kind)));
        return figure(
                what,
                "ms",
                values,
                target.filter(goal -> values.containsKey(goal.against().orElse(SERVED))));
    }

    private static Figure figure(String what, String unit, Map<String, Samples> values, Optional<FigureTarget> target) {
        return new Figure("", what, unit, true, values.containsKey(DEBIAN) ? DEBIAN : "", values, target);
    }

    private static Optional<FigureTarget> ratio(double limit) {
        return Optional.of(FigureTarget.ratio(SERVED, DEBIAN, limit));
    }

    private static Optional<FigureTarget> limit(String contender, double limit) {
        return Optional.of(FigureTarget.of(contender, limit));
    }
}
