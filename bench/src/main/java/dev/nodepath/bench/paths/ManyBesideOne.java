package dev.nodepath.bench.paths;

import static dev.nodepath.bench.suite.Recorder.Quantity.more;

import dev.nodepath.bench.suite.Recorder;
import dev.nodepath.bench.suite.Recorder.Quantity;
import dev.nodepath.bench.suite.Turns;
import dev.nodepath.bench.testbed.Contender;
import dev.nodepath.bench.testbed.RunningContender;
import dev.nodepath.bench.testbed.Tools;
import dev.nodepath.bench.testbed.WrkResult;
import dev.nodepath.report.FigureTarget;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/**
 * New connections of nftables mode with many Services. Nodes with one Service take turns with it, because the
 * speed of a machine changes within minutes.
 */
final class ManyBesideOne {
    private static final double AT_LEAST = 0.95;

    private final Recorder recorder;
    private final int seconds;
    private final Quantity besideItself;
    private final Quantity besideIptables;
    private final Turns<Subject> turns;

    private record Subject(RunningContender contender, int services, List<Quantity> quantities) {
        @Override
        public String toString() {
            return name(contender.contender(), services);
        }
    }

    /**
     * A comparison of two kinds of nodes.
     *
     * @param many the contenders with many Services
     * @param services how many
     * @param one the contenders with one Service
     * @param seconds of new connections as fast as they go
     */
    ManyBesideOne(
            Recorder recorder, List<RunningContender> many, int services, List<RunningContender> one, int seconds) {
        this.recorder = recorder;
        this.seconds = seconds;
        String group = services + " Services beside 1";
        besideItself = more(group, "new connections of nftables mode", "1/s");
        besideIptables = more(group, "new connections of nftables mode beside iptables mode", "1/s");
        turns = new Turns<>(subjects(many, services, one));
        String ours = name(Contender.NFTABLES, services);
        recorder.target(besideItself, FigureTarget.ratio(ours, name(Contender.NFTABLES, 1), AT_LEAST));
        recorder.target(besideIptables, FigureTarget.ratio(ours, name(Contender.IPTABLES, 1), AT_LEAST));
    }

    private List<Subject> subjects(List<RunningContender> many, int services, List<RunningContender> one) {
        List<Subject> subjects = new ArrayList<>();
        for (RunningContender each : many) {
            if (each.contender() == Contender.NFTABLES) {
                subjects.add(new Subject(each, services, List.of(besideItself, besideIptables)));
            }
        }
        for (RunningContender each : one) {
            subjects.add(new Subject(
                    each, 1, List.of(each.contender() == Contender.NFTABLES ? besideItself : besideIptables)));
        }
        return subjects;
    }

    void round(int round) throws InterruptedException {
        turns.round("beside 1 Service", round, this::measure);
    }

    /** The failures, each once. */
    List<String> failures() {
        return turns.failures();
    }

    private void measure(Subject subject, int round) throws IOException, InterruptedException {
        WrkResult rate = Tools.requests(subject.contender(), seconds, false);
        rate.requireAllAnswered();
        subject.quantities().forEach(quantity -> recorder.value(quantity, subject.toString(), round, rate.perSecond()));
    }

    private static String name(Contender mode, int services) {
        return mode + " with " + services;
    }
}
