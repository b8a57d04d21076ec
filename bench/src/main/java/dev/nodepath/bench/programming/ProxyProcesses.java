package dev.nodepath.bench.programming;

import static dev.nodepath.bench.programming.Measured.OURS;
import static dev.nodepath.bench.suite.Recorder.Quantity.less;

import dev.nodepath.bench.suite.Recorder;
import dev.nodepath.bench.suite.SuiteSettings;
import dev.nodepath.bench.suite.Turns;
import dev.nodepath.bench.testbed.Contender;
import dev.nodepath.bench.testbed.Lineup;
import dev.nodepath.bench.testbed.Programs;
import dev.nodepath.linux.KernelLinuxNet;
import dev.nodepath.report.FigureTarget;
import java.io.IOException;
import java.util.List;

/** Measures a process of each mode, because each has its own heap: ours and kube-proxy's in turns. */
final class ProxyProcesses implements SuitePart {
    private static final List<Contender> CONTENDERS = List.of(
            Contender.IPTABLES,
            Contender.KUBE_PROXY,
            Contender.NFTABLES,
            Contender.KUBE_PROXY_NFTABLES,
            Contender.USERSPACE);
    private static final String KUBE_PROXY = Contender.KUBE_PROXY.toString();
    private static final String STARTED = "from its start to rules in force";
    private static final String PROCESSOR = "processor time until then";
    private static final String RESIDENT = "resident memory";

    private final Programs programs;
    private final SuiteSettings settings;
    private final int services;
    private final KernelLinuxNet kernel = new KernelLinuxNet();
    private final Measured measured = new Measured(KUBE_PROXY);

    /** Processes that follow so many Services. */
    ProxyProcesses(Programs programs, SuiteSettings settings, int services) {
        this.programs = programs;
        this.settings = settings;
        this.services = services;
    }

    @Override
    public Measured measured() {
        return measured;
    }

    @Override
    public void measure(Runnable keep) throws InterruptedException {
        measured.note("A process follows an API server. Its rules are in force when a client gets an answer through"
                + " them; it asks every " + FollowedNode.POLL_MILLIS + " ms.");
        Turns<Contender> turns =
                new Turns<>(Lineup.present(Lineup.wanted(settings, CONTENDERS), programs, measured::note));
        for (int i = 0; i < settings.rounds(); i++) {
            settings.say("a process with " + services + " Services, round " + (i + 1) + " of " + settings.rounds());
            turns.round("A process, " + services + " Services", i, this::measure);
        }
        turns.failures().forEach(measured::note);
        if (services == ProgrammingSizes.WITH_TARGETS) {
            target(Contender.IPTABLES, 2500, 150);
            target(Contender.NFTABLES, 1200, 100);
        }
        keep.run();
    }

    private void target(Contender mode, double startMillis, double residentMegabytes) {
        measured.recorder().target(less(group(mode), STARTED, "ms"), FigureTarget.of(OURS, startMillis));
        measured.recorder().target(less(group(mode), RESIDENT, "MB"), FigureTarget.of(OURS, residentMegabytes));
    }

    private void measure(Contender contender, int round) throws IOException, InterruptedException {
        ProxyProcess process = ProxyProcess.measure(kernel, contender, programs, services);
        String group = group(contender);
        String name = contender.isJvm() ? OURS : KUBE_PROXY;
        Recorder recorder = measured.recorder();
        recorder.value(less(group, STARTED, "ms"), name, round, process.startMillis());
        recorder.value(less(group, PROCESSOR, "ms"), name, round, process.startSeconds() * 1e3);
        recorder.value(
                less(group, "started again, to a Service in force that was added meanwhile", "ms"),
                name,
                round,
                process.restartMillis());
        recorder.value(
                less(group, "an endpoint changed, to its first answer", "ms"), name, round, process.endpointMillis());
        recorder.value(less(group, RESIDENT, "MB"), name, round, process.residentBytes() / 1e6);
    }

    /** The processes of one mode stand beside each other. */
    private String group(Contender contender) {
        String mode = switch (contender) {
            case NFTABLES, KUBE_PROXY_NFTABLES -> "nftables";
            case USERSPACE -> "userspace";
            default -> "iptables";
        };
        return "A process in " + mode + " mode, " + services + (services == 1 ? " Service x " : " Services x ")
                + ProgrammingSizes.ENDPOINTS;
    }
}
