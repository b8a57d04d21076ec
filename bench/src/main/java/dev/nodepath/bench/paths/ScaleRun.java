package dev.nodepath.bench.paths;

import static dev.nodepath.bench.suite.Recorder.Quantity.less;
import static dev.nodepath.bench.suite.Recorder.Quantity.more;

import dev.nodepath.bench.suite.Outcome;
import dev.nodepath.bench.suite.Recorder;
import dev.nodepath.bench.suite.Recorder.Quantity;
import dev.nodepath.bench.suite.SuiteSettings;
import dev.nodepath.bench.suite.Turns;
import dev.nodepath.bench.testbed.Contender;
import dev.nodepath.bench.testbed.Lineup;
import dev.nodepath.bench.testbed.ManyServices;
import dev.nodepath.bench.testbed.Programs;
import dev.nodepath.bench.testbed.RunningContender;
import dev.nodepath.bench.testbed.Tools;
import dev.nodepath.bench.testbed.UdpLoad;
import dev.nodepath.bench.testbed.WrkResult;
import dev.nodepath.emulator.traffic.Greeting;
import dev.nodepath.linux.KernelLinuxNet;
import dev.nodepath.report.Curve;
import dev.nodepath.report.SuiteResult;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** One run of the {@link ScaleSuite}. */
final class ScaleRun {
    private static final Duration ANSWER_MAX = Duration.ofSeconds(5);

    private static final String CONNECTION = "a new connection, from connect to its answer, p50";
    private static final String DATAGRAM = "the first datagram of a flow, until its echo, p50";
    private static final String RATE = "new connections";
    private static final String RESIDENT = "resident memory of the proxy";

    private final Programs programs;
    private final SuiteSettings settings;
    private final List<Integer> sizes;
    private final int probes;
    private final int seconds;
    private final KernelLinuxNet net = new KernelLinuxNet();
    private final Recorder recorder = new Recorder(Contender.DIRECT.toString());
    private final List<String> notes = new ArrayList<>();

    /**
     * A run.
     *
     * @param sizes numbers of Services, growing
     * @param probes number of connections and flows of a median
     * @param seconds of new connections as fast as they go
     */
    ScaleRun(Programs programs, SuiteSettings settings, List<Integer> sizes, int probes, int seconds) {
        this.programs = programs;
        this.settings = settings;
        this.sizes = sizes;
        this.probes = probes;
        this.seconds = seconds;
    }

    SuiteResult run() throws IOException, InterruptedException {
        Tools.require();
        try (Lineup lineup = new Lineup(net, "s-", Lineup.wanted(settings, Contender.ofServices()), programs)) {
            Turns<RunningContender> turns = new Turns<>(lineup.live());
            turns.round("warm-up", 0, (contender, round) -> Tools.requests(contender, seconds, false));
            int services = 1;
            for (int size : sizes) {
                settings.say(size + " Services");
                int from = services;
                turns.round(size + " Services", 0, (contender, round) -> ManyServices.add(contender, from, size));
                services = Math.max(services, size);
                for (int i = 0; i < settings.rounds(); i++) {
                    turns.round(size + " Services", i, (contender, round) -> measure(contender, round, size));
                }
                settings.keep(result(lineup, turns));
            }
            manyBesideOne(lineup);
            return result(lineup, turns);
        }
    }

    /**
     * Measures whether the number of Services costs a connection of nftables mode anything, in turns with nodes of one
     * Service.
     */
    private void manyBesideOne(Lineup many) throws IOException, InterruptedException {
        int size = sizes.get(sizes.size() - 1);
        settings.say("nftables mode with " + size + " Services beside 1");
        try (Lineup one = new Lineup(net, "o-", List.of(Contender.IPTABLES, Contender.NFTABLES), programs)) {
            ManyBesideOne comparison = new ManyBesideOne(recorder, many.live(), size, one.live(), seconds);
            for (int i = 0; i < settings.rounds(); i++) {
                comparison.round(i);
            }
            notes.addAll(one.notes());
            notes.addAll(comparison.failures());
        }
    }

    private SuiteResult result(Lineup lineup, Turns<RunningContender> turns) {
        List<String> all = new ArrayList<>(lineup.notes());
        all.addAll(turns.failures());
        all.addAll(notes);
        all.add("In the rules of Nodepath's iptables mode, the measured Service comes after all others. "
                + "kube-proxy writes Services in a random order.");
        return Outcome.of("scale", recorder.figures(), recorder.curves(Curve.Kind.SCALE_LOG_LOG), all, settings);
    }

    private void measure(RunningContender contender, int round, int size) throws IOException, InterruptedException {
        InetSocketAddress http = contender.way().to(contender.way().http());
        record(contender, round, size, CONNECTION, "us", median(contender, () -> connection(http)));
        InetSocketAddress echo = contender.way().to(contender.way().echo().orElseThrow());
        record(contender, round, size, DATAGRAM, "us", median(contender, () -> UdpLoad.firstEcho(echo, ANSWER_MAX)));
        WrkResult rate = Tools.requests(contender, seconds, false);
        rate.requireAllAnswered();
        recorder.value(more(size + " Services", RATE, "1/s"), contender.toString(), round, rate.perSecond());
        recorder.point(more("Services", RATE, "1/s"), contender.toString(), size, round, rate.perSecond());
        var usage = contender.usage();
        if (usage.isPresent()) {
            record(contender, round, size, RESIDENT, "MB", usage.get().residentBytes() / 1e6);
        }
    }

    private void record(RunningContender contender, int round, int size, String what, String unit, double value) {
        Quantity figure = less(size + " Services", what, unit);
        recorder.value(figure, contender.toString(), round, value);
        recorder.point(less("Services", what, unit), contender.toString(), size, round, value);
    }

    private static Duration connection(InetSocketAddress target) throws IOException {
        Greeting greeting = Greeting.ask(target, ANSWER_MAX);
        if (greeting.outcome() != Greeting.Outcome.ANSWERED) {
            throw new IOException("a connection was " + greeting.outcome());
        }
        return greeting.elapsed();
    }

    private interface Probe {
        Duration run() throws IOException;
    }

    private double median(RunningContender contender, Probe probe) throws IOException {
        List<Duration> times = contender.lane().client().call(() -> {
            List<Duration> taken = new ArrayList<>();
            for (int i = 0; i < probes; i++) {
                taken.add(probe.run());
            }
            return taken;
        });
        return times.stream().sorted().toList().get(probes / 2).toNanos() / 1e3;
    }
}
