package dev.nodepath.bench.policy;

import static dev.nodepath.bench.suite.Recorder.Quantity.more;

import dev.nodepath.bench.suite.Recorder;
import dev.nodepath.bench.suite.Recorder.Quantity;
import dev.nodepath.bench.suite.SuiteSettings;
import dev.nodepath.bench.suite.Turns;
import dev.nodepath.bench.testbed.ApiObject;
import dev.nodepath.bench.testbed.ContenderAddress;
import dev.nodepath.bench.testbed.ContenderNode;
import dev.nodepath.bench.testbed.Programs;
import dev.nodepath.bench.testbed.Tools;
import dev.nodepath.bench.testbed.WrkResult;
import dev.nodepath.linux.KernelLinuxNet;
import dev.nodepath.report.FigureTarget;
import dev.nodepath.report.Samples;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.OptionalInt;

/** The cost of policies for requests between two pods: nodes with more and more policies take turns. */
final class PolicedLoads implements PolicyRun.Part {
    /** So many policies of one pod are many. */
    static final int OF_THE_SERVER_MAX = 10;

    private static final int[] POLICIES = {0, 10, 1000};
    private static final double NEW_AT_LEAST = 0.97;
    private static final double KEPT_AT_LEAST = 0.99;
    private static final List<ApiObject.Port> PORTS =
            List.of(new ApiObject.Port("http", "TCP", 80, ContenderNode.HTTP));
    private static final ContenderAddress SERVICE = new ContenderAddress("10.96.0.10", 80, 5201, OptionalInt.empty());

    private final Programs programs;
    private final SuiteSettings settings;
    private final PolicySizes sizes;
    private final Recorder recorder;

    PolicedLoads(Programs programs, SuiteSettings settings, PolicySizes sizes, Recorder recorder) {
        this.programs = programs;
        this.settings = settings;
        this.sizes = sizes;
        this.recorder = recorder;
        for (int policies : POLICIES) {
            recorder.target(
                    quantity(policies, false), FigureTarget.ratio(PolicyRun.WITH, PolicyRun.WITHOUT, NEW_AT_LEAST));
            recorder.target(
                    quantity(policies, true), FigureTarget.ratio(PolicyRun.WITH, PolicyRun.WITHOUT, KEPT_AT_LEAST));
        }
    }

    /** A node, and how many policies it has; without enforcement it has none. */
    private record Subject(PolicedNode node, boolean enforces, int policies) {
        @Override
        public String toString() {
            return enforces ? policies + " policies" : PolicyRun.WITHOUT;
        }
    }

    private static Quantity quantity(int policies, boolean kept) {
        return more(policies + " policies", kept ? "requests over kept connections" : "new connections", "1/s");
    }

    @Override
    public List<String> measure(Runnable keep) throws IOException, InterruptedException {
        List<Subject> subjects = new ArrayList<>();
        try {
            subjects.add(subject(false, 0));
            for (int policies : POLICIES) {
                subjects.add(subject(true, policies));
            }
            Turns<Subject> turns = new Turns<>(subjects);
            turns.round("warm-up", 0, (subject, round) -> rate(subject, false));
            for (int i = 0; i < settings.rounds(); i++) {
                settings.say("loads, round " + (i + 1) + " of " + settings.rounds());
                for (boolean kept : new boolean[] {false, true}) {
                    round(turns, subjects, kept, i);
                }
                keep.run();
            }
            return turns.failures();
        } finally {
            for (Subject each : subjects) {
                each.node().close();
            }
        }
    }

    private Subject subject(boolean enforces, int policies) throws IOException, InterruptedException {
        PolicedNode node =
                new PolicedNode(new KernelLinuxNet(), enforces ? "l-" + policies : "l-" + PolicyRun.WITHOUT, programs);
        Subject subject = new Subject(node, enforces, policies);
        boolean complete = false;
        try {
            node.lane().startServers();
            node.server().put(ApiObject.service("web", SERVICE.address(), PORTS));
            node.server().put(ApiObject.slice("web", List.of(ContenderNode.SERVER), List.of(), PORTS));
            if (policies > 0) {
                PolicedCluster.Size size = new PolicedCluster.Size(policies, policies);
                node.put(PolicedCluster.pods(size));
                node.put(PolicedCluster.policies(new PolicedCluster.Size(policies, policies - OF_THE_SERVER_MAX)));
                for (int i = 1; i < OF_THE_SERVER_MAX; i++) {
                    node.server().put(PolicedCluster.refusal("refusal-" + i));
                }
                node.server().put(PolicedCluster.allowance("the-last"));
            }
            node.start("nftables", enforces);
            complete = true;
            return subject;
        } finally {
            if (!complete) {
                node.close();
            }
        }
    }

    /** The nodes take turns for a second each. A node's rate of the round is the median of its seconds. */
    private void round(Turns<Subject> turns, List<Subject> subjects, boolean kept, int round)
            throws InterruptedException {
        double[][] rates = new double[subjects.size()][sizes.slices()];
        for (double[] each : rates) {
            Arrays.fill(each, Double.NaN);
        }
        for (int i = 0; i < sizes.slices(); i++) {
            int slice = i;
            turns.round(
                    kept ? "kept connections" : "new connections",
                    round,
                    (subject, again) -> rates[subjects.indexOf(subject)][slice] = rate(subject, kept));
        }
        for (Subject subject : subjects) {
            double rate = Samples.of(rates[subjects.indexOf(subject)]).median();
            for (int policies : POLICIES) {
                if (!subject.enforces() || subject.policies() == policies) {
                    recorder.value(
                            quantity(policies, kept),
                            subject.enforces() ? PolicyRun.WITH : PolicyRun.WITHOUT,
                            round,
                            rate);
                }
            }
        }
    }

    private static double rate(Subject subject, boolean kept) throws IOException, InterruptedException {
        WrkResult result = Tools.requests(subject.node().lane(), SERVICE, 1, kept);
        result.requireAllAnswered();
        return result.perSecond();
    }
}
