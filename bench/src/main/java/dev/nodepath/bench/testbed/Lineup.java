package dev.nodepath.bench.testbed;

import dev.nodepath.bench.suite.SuiteSettings;
import dev.nodepath.emulator.cluster.BridgeNetfilterCheck;
import dev.nodepath.linux.LinuxNet;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/**
 * The running contenders of a suite, each on its lane. A contender that is missing or does not start is skipped with a
 * note.
 */
public final class Lineup implements AutoCloseable {
    private final List<RunningContender> live = new ArrayList<>();
    private final List<String> notes = new ArrayList<>();

    /**
     * Starts the contenders.
     *
     * @param prefix for the names of namespaces, a letter for the suite
     * @throws IOException if the kernel lacks bridge netfilter, or the direct path does not work
     */
    public Lineup(LinuxNet net, String prefix, List<Contender> wanted, Programs programs)
            throws IOException, InterruptedException {
        BridgeNetfilterCheck.require();
        boolean complete = false;
        Path folder = Files.createTempDirectory(Path.of("/run"), "bench-" + prefix);
        try {
            for (Contender contender : present(wanted, programs, notes::add)) {
                start(net, prefix, contender, programs, folder);
            }
            complete = true;
        } finally {
            if (!complete) {
                close();
            }
        }
    }

    private void start(LinuxNet net, String prefix, Contender contender, Programs programs, Path folder)
            throws IOException, InterruptedException {
        try {
            live.add(RunningContender.start(net, contender, prefix, programs, folder));
        } catch (IOException e) {
            if (contender == Contender.DIRECT) {
                throw e;
            }
            notes.add("Not measured, because it did not start: " + e.getMessage() + ".");
        }
    }

    /** The wanted contenders: kube-proxy if there is a binary, HAProxy and nginx unless they are switched off. */
    public static List<Contender> wanted(SuiteSettings settings, List<Contender> all) {
        return all.stream()
                .filter(contender -> switch (contender) {
                    case DIRECT, USERSPACE, IPTABLES, NFTABLES -> true;
                    case HAPROXY_DNAT -> settings.peers().include(Contender.HAPROXY.toString());
                    case HAPROXY, NGINX -> settings.peers().include(contender.toString());
                    case KUBE_PROXY, KUBE_PROXY_NFTABLES, KUBE_PROXY_USERSPACE ->
                        settings.kubeProxy().isPresent();
                })
                .toList();
    }

    /** The contenders whose parts are there. A note says why one is left out. */
    public static List<Contender> present(List<Contender> wanted, Programs programs, Consumer<String> note) {
        List<Contender> present = new ArrayList<>();
        for (Contender contender : wanted) {
            contender
                    .missing(programs)
                    .ifPresentOrElse(why -> note.accept("Left out: " + why + "."), () -> present.add(contender));
        }
        return present;
    }

    /** The running contenders, in the order of the table. */
    public List<RunningContender> live() {
        return List.copyOf(live);
    }

    /** The contenders that were left out, and why. */
    public List<String> notes() {
        return List.copyOf(notes);
    }

    @Override
    public void close() throws IOException {
        List<IOException> failures = new ArrayList<>();
        for (RunningContender each : live) {
            try {
                each.close();
            } catch (IOException e) {
                failures.add(e);
            }
        }
        if (!failures.isEmpty()) {
            throw failures.get(0);
        }
    }
}
