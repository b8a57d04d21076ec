package dev.nodepath.bench.paths;

import static dev.nodepath.bench.suite.Recorder.Quantity.less;

import dev.nodepath.bench.suite.Outcome;
import dev.nodepath.bench.suite.Recorder;
import dev.nodepath.bench.suite.Recorder.Quantity;
import dev.nodepath.bench.suite.SuiteSettings;
import dev.nodepath.bench.suite.Turns;
import dev.nodepath.bench.testbed.Contender;
import dev.nodepath.bench.testbed.Lineup;
import dev.nodepath.bench.testbed.Programs;
import dev.nodepath.bench.testbed.RunningContender;
import dev.nodepath.bench.testbed.Tools;
import dev.nodepath.linux.KernelLinuxNet;
import dev.nodepath.report.Curve;
import dev.nodepath.report.FigureTarget;
import dev.nodepath.report.SuiteResult;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** One run of a {@link PathSuite}. */
final class PathRun {
    private static final String DIRECT = Contender.DIRECT.toString();
    private static final String HAPROXY = Contender.HAPROXY.toString();
    private static final Quantity UNREADY =
            less("Readiness", "an endpoint turned unready: last new connection sent there after the event", "ms");
    private static final Quantity IDLE = less(PathMeasures.PROCESS, "memory of an idle connection", "KB");

    private final String name;
    private final Contender subject;
    private final Optional<String> congestionControl;
    private final List<Contender> contenders;
    private final Programs programs;
    private final MeasurementLengths lengths;
    private final SuiteSettings settings;
    private final Recorder recorder = new Recorder(DIRECT);
    private final PathMeasures measures;
    private final FixedRate fixedRate = new FixedRate();

    /**
     * Measures a mode and its peers.
     *
     * @param name of the suite
     * @param congestionControl of all contenders; empty for the machine's own
     */
    PathRun(
            String name,
            Contender subject,
            Optional<String> congestionControl,
            List<Contender> contenders,
            Programs programs,
            MeasurementLengths lengths,
            SuiteSettings settings) {
        this.name = name;
        this.subject = subject;
        this.congestionControl = congestionControl;
        this.contenders = List.copyOf(contenders);
        this.programs = programs;
        this.lengths = lengths;
        this.settings = settings;
        this.measures = new PathMeasures(recorder, lengths);
    }

    SuiteResult run() throws IOException, InterruptedException {
        Tools.require();
        try (Lineup lineup = new Lineup(
                new KernelLinuxNet(), name.substring(0, 1) + "-", Lineup.wanted(settings, contenders), programs)) {
            Turns<RunningContender> turns = new Turns<>(lineup.live());
            if (congestionControl.isPresent()) {
                for (RunningContender contender : lineup.live()) {
                    contender.lane().useCongestionControl(congestionControl.get());
                }
            }
            setTargets(lineup);
            // Before any load: a heap that has grown has room for connections that then seem to cost nothing.
            if (subject == Contender.USERSPACE) {
                int connections = IdleConnections.possible(lengths.idleConnections());
                settings.say(connections + " idle connections");
                turns.round(IDLE.what(), 0, (contender, round) -> idle(contender, connections));
            }
            settings.say("warming up " + lineup.live());
            turns.round("warm-up", 0, (contender, round) -> warmUp(contender));
            for (int i = 0; i < settings.rounds(); i++) {
                settings.say("round " + (i + 1) + " of " + settings.rounds());
                round(lineup, turns, i);
                settings.keep(result(lineup, turns));
            }
            return result(lineup, turns);
        }
    }

    private void round(Lineup lineup, Turns<RunningContender> turns, int i) throws InterruptedException {
        turns.round(PathMeasures.KEPT_ALIVE, i, (contender, round) -> measures.http(contender, round, true));
        turns.round(PathMeasures.NEW, i, (contender, round) -> measures.http(contender, round, false));
        turns.round("bulk, 1 stream", i, (contender, round) -> measures.bulk(contender, round, 1));
        turns.round("bulk, 4 streams", i, (contender, round) -> measures.bulk(contender, round, 4));
        turns.round(PathMeasures.UDP, i, measures::udp);
        double rate = fixedRate.choose(
                recorder, lineup.live().stream().map(RunningContender::toString).toList(), i);
        turns.round(PathMeasures.OPEN_LOOP, i, (contender, round) -> measures.openLoop(contender, round, rate));
        turns.round("memory", i, measures::resident);
        if (subject == Contender.USERSPACE) {
            turns.round(UNREADY.what(), i, this::readiness);
        }
    }

    private SuiteResult result(Lineup lineup, Turns<RunningContender> turns) throws IOException {
        List<String> notes = new ArrayList<>(lineup.notes());
        notes.addAll(turns.failures());
        if (!contenders.contains(Contender.IPTABLES)) {
            notes.add("Not measured with --quick: iptables, which has its own suite.");
        }
        notes.add("Congestion control of all contenders: "
                + lineup.live().get(0).lane().congestionControl() + ".");
        notes.add("Client, server and proxy share the machine. " + fixedRate.note());
        if (isLive(lineup, Contender.HAPROXY_DNAT)) {
            notes.add("haproxy-dnat is haproxy behind a Service's address: a DNAT rule and connection tracking"
                    + " come first, as for the relay. The targets compare with direct and haproxy, which have"
                    + " neither.");
        }
        if (subject == Contender.USERSPACE) {
            notes.add("Memory of an idle connection is measured once, with "
                    + IdleConnections.possible(lengths.idleConnections())
                    + " of them, before any load and with the JVM's garbage collected. A proxy needs two descriptors"
                    + " for each, so their limit decides.");
        }
        return Outcome.of(name, recorder.figures(), recorder.curves(Curve.Kind.LATENCY_PERCENTILES), notes, settings);
    }

    /** Only software that is compiled while it runs needs a warm-up. */
    private void warmUp(RunningContender contender) throws IOException, InterruptedException {
        if (contender.contender() == Contender.USERSPACE) {
            Tools.requests(contender, lengths.warmUpSeconds(), true);
            Tools.requests(contender, lengths.warmUpSeconds(), false);
        }
    }

    private void readiness(RunningContender contender, int round) throws IOException, InterruptedException {
        if (contender.contender().followsSlices()) {
            recorder.value(UNREADY, contender.toString(), round, Readiness.millis(contender));
        }
    }

    /** Measures the memory of an idle connection. With rules a connection takes no memory of a process. */
    private void idle(RunningContender contender, int connections) throws IOException, InterruptedException {
        Contender kind = contender.contender();
        if (kind == Contender.USERSPACE || kind == Contender.HAPROXY || kind == Contender.NGINX) {
            recorder.value(IDLE, contender.toString(), 0, IdleConnections.bytesEach(contender, connections) / 1e3);
        }
    }

    private void setTargets(Lineup lineup) {
        if (subject != Contender.USERSPACE) {
            return;
        }
        String ours = subject.toString();
        recorder.target(PathMeasures.bulkRate(1), FigureTarget.ratio(ours, DIRECT, 0.75));
        recorder.target(PathMeasures.perSecond(PathMeasures.KEPT_ALIVE), FigureTarget.ratio(ours, DIRECT, 0.51));
        recorder.target(PathMeasures.perSecond(PathMeasures.NEW), FigureTarget.ratio(ours, DIRECT, 0.73));
        recorder.target(PathMeasures.echoes(), FigureTarget.ratio(ours, DIRECT, 0.5));
        recorder.target(UNREADY, FigureTarget.of(ours, 20));
        recorder.target(IDLE, FigureTarget.of(ours, 20));
        if (isLive(lineup, Contender.HAPROXY)) {
            recorder.target(PathMeasures.p99(PathMeasures.KEPT_ALIVE), FigureTarget.ratio(ours, HAPROXY, 1));
            recorder.target(PathMeasures.p99(PathMeasures.NEW), FigureTarget.ratio(ours, HAPROXY, 1));
        }
    }

    private static boolean isLive(Lineup lineup, Contender wanted) {
        return lineup.live().stream().anyMatch(contender -> contender.contender() == wanted);
    }
}
