package dev.nodepath.bench.programming;

import static dev.nodepath.bench.programming.Measured.OURS;
import static dev.nodepath.bench.suite.Recorder.Quantity.less;

import dev.nodepath.bench.suite.Recorder;
import dev.nodepath.bench.suite.Recorder.Quantity;
import dev.nodepath.bench.suite.SuiteSettings;
import dev.nodepath.bench.suite.Turns;
import dev.nodepath.bench.testbed.Command;
import dev.nodepath.bench.testbed.ProcessUsage;
import dev.nodepath.bench.testbed.Programs;
import dev.nodepath.report.FigureTarget;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.ToDoubleFunction;

/** Measures the start of an emulated cluster of two nodes, its processes, and commands that ask it something. */
final class ClusterStarts implements SuitePart {
    private static final String CLUSTER = "A cluster of two nodes";
    private static final String COMMAND = "A command, processor time";
    private static final String NAME = "--name=bench";
    private static final Duration COMMAND_MAX = Duration.ofMinutes(5);

    private static final Quantity UP = less(CLUSTER, "from 'up' to its end: pods are ready, proxies have synced", "ms");
    private static final Quantity CLUSTER_TIME = less(CLUSTER, "processor time of the cluster's process", "ms");
    private static final Quantity AGENT_TIME = less(CLUSTER, "processor time of an agent", "ms");
    private static final Quantity CLUSTER_MEMORY = less(CLUSTER, "resident memory of the cluster's process", "MB");
    private static final Quantity AGENT_MEMORY = less(CLUSTER, "resident memory of an agent", "MB");

    private final Programs programs;
    private final SuiteSettings settings;
    private final Measured measured = new Measured(OURS);

    ClusterStarts(Programs programs, SuiteSettings settings) {
        this.programs = programs;
        this.settings = settings;
    }

    @Override
    public Measured measured() {
        return measured;
    }

    @Override
    public void measure(Runnable keep) throws InterruptedException {
        measured.note("Processor time of a cluster's processes is what they have used when 'up' ends.");
        measured.recorder().target(UP, FigureTarget.of(OURS, 3000));
        measured.recorder().target(CLUSTER_TIME, FigureTarget.of(OURS, 2500));
        measured.recorder().target(AGENT_TIME, FigureTarget.of(OURS, 900));
        measured.recorder().target(AGENT_MEMORY, FigureTarget.of(OURS, 85));
        Turns<String> turns = new Turns<>(List.of(OURS));
        for (int i = 0; i < settings.rounds(); i++) {
            settings.say("a cluster, round " + (i + 1) + " of " + settings.rounds());
            turns.round(CLUSTER, i, (ours, round) -> measure(round));
            keep.run();
        }
        turns.failures().forEach(measured::note);
    }

    private void measure(int round) throws IOException, InterruptedException {
        Recorder recorder = measured.recorder();
        long start = System.nanoTime();
        nodepath("up", NAME);
        try {
            recorder.value(UP, OURS, round, (System.nanoTime() - start) / 1e6);
            ProcessHandle cluster = cluster();
            List<ProcessHandle> agents =
                    cluster.descendants().filter(each -> runs(each, "agent")).toList();
            recorder.value(CLUSTER_TIME, OURS, round, mean(List.of(cluster), used -> used.cpuSeconds() * 1e3));
            recorder.value(AGENT_TIME, OURS, round, mean(agents, used -> used.cpuSeconds() * 1e3));
            command(round, "--help");
            command(round, "kubectl", NAME, "get", "pods");
            command(round, "trace", NAME, "client-1", "web:80");
            recorder.value(CLUSTER_MEMORY, OURS, round, mean(List.of(cluster), used -> used.residentBytes() / 1e6));
            recorder.value(AGENT_MEMORY, OURS, round, mean(agents, used -> used.residentBytes() / 1e6));
        } finally {
            nodepath("down", NAME);
        }
    }

    private void command(int round, String... arguments) throws IOException, InterruptedException {
        double before = ProcessUsage.endedChildrenSeconds();
        nodepath(arguments);
        double used = ProcessUsage.endedChildrenSeconds() - before;
        List<String> words = new ArrayList<>(List.of(arguments));
        words.remove(NAME);
        measured.recorder().value(less(COMMAND, String.join(" ", words), "ms"), OURS, round, used * 1e3);
    }

    private void nodepath(String... arguments) throws IOException, InterruptedException {
        List<String> command = new ArrayList<>(programs.nodepath());
        command.addAll(List.of(arguments));
        Command.output(command, COMMAND_MAX);
    }

    /** The process of the cluster. The bench's PID namespace has no other. */
    private static ProcessHandle cluster() throws IOException {
        return ProcessHandle.allProcesses()
                .filter(each -> runs(each, "enclosed-cluster"))
                .findAny()
                .orElseThrow(() -> new IOException("no process of the cluster after 'up'"));
    }

    /** Whether a process is a JVM with this command of ours. The JDK does not know the arguments of a long line. */
    private static boolean runs(ProcessHandle process, String command) {
        try {
            List<String> words = List.of(Files.readString(Path.of("/proc", Long.toString(process.pid()), "cmdline"))
                    .split("\0", -1));
            return words.get(0).endsWith("/java") && words.contains(command);
        } catch (IOException e) {
            return false; // it has ended
        }
    }

    private static double mean(List<ProcessHandle> processes, ToDoubleFunction<ProcessUsage> value) throws IOException {
        double sum = 0;
        for (ProcessHandle process : processes) {
            sum += value.applyAsDouble(ProcessUsage.of(process));
        }
        return sum / processes.size();
    }
}
