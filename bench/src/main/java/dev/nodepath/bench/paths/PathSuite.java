package dev.nodepath.bench.paths;

import dev.nodepath.bench.Suite;
import dev.nodepath.bench.SuiteSettings;
import dev.nodepath.bench.testbed.Contender;
import dev.nodepath.bench.testbed.Programs;
import dev.nodepath.report.SuiteResult;
import java.util.Arrays;
import java.util.List;

/** One mode on the way of packets, beside no proxy, the other mode and peers. */
public final class PathSuite implements Suite {
    private final Contender subject;

    /** Of userspace or iptables mode. */
    public PathSuite(Contender subject) {
        this.subject = subject;
    }

    @Override
    public String name() {
        return subject.toString();
    }

    @Override
    public SuiteResult run(SuiteSettings settings) throws Exception {
        Lengths lengths = settings.quick() ? Lengths.QUICK : Lengths.FULL;
        // In the suite of iptables mode the other one is a peer like HAProxy; here time is dearer.
        List<Contender> contenders = Arrays.stream(Contender.values())
                .filter(contender -> !settings.quick() || subject == contender || contender != Contender.IPTABLES)
                .toList();
        return new PathRun(subject, contenders, Programs.installed(settings.kubeProxy()), lengths, settings).run();
    }
}
