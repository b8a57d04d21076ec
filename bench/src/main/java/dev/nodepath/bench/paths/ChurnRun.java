package dev.nodepath.bench.paths;

import static dev.nodepath.bench.suite.Recorder.Quantity.less;
import static dev.nodepath.bench.suite.Recorder.Quantity.more;

import dev.nodepath.bench.suite.Outcome;
import dev.nodepath.bench.suite.Recorder;
import dev.nodepath.bench.suite.Recorder.Quantity;
import dev.nodepath.bench.suite.SuiteSettings;
import dev.nodepath.bench.suite.Turns;
import dev.nodepath.bench.testbed.Contender;
import dev.nodepath.bench.testbed.ContenderAddress;
import dev.nodepath.bench.testbed.ContenderNode;
import dev.nodepath.bench.testbed.Lineup;
import dev.nodepath.bench.testbed.ProcessUsage;
import dev.nodepath.bench.testbed.Programs;
import dev.nodepath.bench.testbed.RunningContender;
import dev.nodepath.emulator.traffic.HttpLoad;
import dev.nodepath.linux.KernelLinuxNet;
import dev.nodepath.report.FigureTarget;
import dev.nodepath.report.SuiteResult;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/** One run of the {@link ChurnSuite}. */
final class ChurnRun {
    private static final int CONNECTIONS = 16;
    private static final Duration WARM_UP = Duration.ofMillis(1500);
    private static final String QUIET = "Nothing changes";
    private static final String CHURN = "An endpoint stops and starts, others change";

    private final Programs programs;
    private final SuiteSettings settings;
    private final Duration length;
    private final Recorder recorder = new Recorder(Contender.DIRECT.toString());

    ChurnRun(Programs programs, SuiteSettings settings, Duration length) {
        this.programs = programs;
        this.settings = settings;
        this.length = length;
    }

    SuiteResult run() throws IOException, InterruptedException {
        recorder.target(failed(CHURN), FigureTarget.of(Contender.USERSPACE.toString(), 0));
        ExecutorService client = Executors.newSingleThreadExecutor();
        List<Contender> contenders = Lineup.wanted(settings, Contender.ofServices());
        try (Lineup lineup = new Lineup(new KernelLinuxNet(), "c-", contenders, programs)) {
            Turns<RunningContender> turns = new Turns<>(lineup.live());
            for (int i = 0; i < settings.rounds(); i++) {
                settings.say("round " + (i + 1) + " of " + settings.rounds());
                turns.round("churn", i, (contender, round) -> measure(contender, round, client));
                settings.keep(result(lineup, turns));
            }
            return result(lineup, turns);
        } finally {
            client.shutdownNow();
        }
    }

    private SuiteResult result(Lineup lineup, Turns<RunningContender> turns) {
        List<String> notes = new ArrayList<>(lineup.notes());
        notes.addAll(turns.failures());
        notes.add("About twice a second, one of two endpoints becomes unready. It refuses connections "
                + Flapping.NOTICE_MILLIS
                + " ms later, and then comes back. Ten endpoints of other Services change each time. The proxies keep"
                + " their defaults: kube-proxy makes at most one sync a second, Nodepath pauses 7 times as long as a"
                + " sync took.");
        notes.add("The direct path always goes to the endpoint that stays.");
        return Outcome.of("churn", recorder.figures(), List.of(), notes, settings);
    }

    private void measure(RunningContender contender, int round, ExecutorService client)
            throws IOException, InterruptedException {
        InetSocketAddress target = contender.contender().followsSlices()
                ? ContenderAddress.at(Flapping.CLUSTER_IP, 80)
                : ContenderAddress.at(ContenderNode.SERVER, Flapping.PORT);
        HttpLoad load = new HttpLoad(List.of(target), CONNECTIONS, false);
        try (Flapping flapping = new Flapping(contender)) {
            if (round == 0) {
                contender.lane().client().call(() -> load.run(WARM_UP));
            }
            Optional<ProcessUsage> before = contender.usage();
            HttpLoad.Result quiet = contender.lane().client().call(() -> load.run(length));
            record(QUIET, contender, round, quiet, before);
            before = contender.usage();
            HttpLoad.Result churn = loadWhile(contender, load, flapping, client);
            record(CHURN, contender, round, churn, before);
            if (flapping.changes() == 0 || quiet.errors() > 0) {
                throw new IOException(quiet.errors() + " errors without a change: " + quiet.firstError());
            }
        }
    }

    private HttpLoad.Result loadWhile(
            RunningContender contender, HttpLoad load, Flapping flapping, ExecutorService client)
            throws IOException, InterruptedException {
        CompletableFuture<HttpLoad.Result> result = CompletableFuture.supplyAsync(
                () -> {
                    try {
                        return contender.lane().client().call(() -> load.run(length));
                    } catch (IOException e) {
                        throw new UncheckedIOException(e);
                    }
                },
                client);
        while (!result.isDone()) {
            flapping.cycle();
        }
        try {
            return result.get();
        } catch (ExecutionException e) {
            throw new IOException("load: " + e.getCause(), e);
        }
    }

    /** The relay skips an endpoint that refuses a connection; rules cannot. */
    private static Quantity failed(String group) {
        return less(group, "requests that failed, of 10 000", "requests");
    }

    private void record(
            String group, RunningContender contender, int round, HttpLoad.Result result, Optional<ProcessUsage> before)
            throws IOException {
        String name = contender.toString();
        double seconds = result.elapsed().toNanos() / 1e9;
        double all = result.requests() + result.errors();
        recorder.value(failed(group), name, round, result.errors() * 1e4 / all);
        recorder.value(more(group, "requests", "1/s"), name, round, result.perSecond());
        recorder.value(less(group, "latency p50", "ms"), name, round, result.latencyMicros(50) / 1e3);
        recorder.value(less(group, "latency p99", "ms"), name, round, result.latencyMicros(99) / 1e3);
        Optional<ProcessUsage> after = contender.usage();
        if (before.isPresent() && after.isPresent()) {
            double cpu = after.get().cpuSeconds() - before.get().cpuSeconds();
            recorder.value(less(group, "CPU of the proxy's processes", "s/s"), name, round, cpu / seconds);
        }
    }
}
