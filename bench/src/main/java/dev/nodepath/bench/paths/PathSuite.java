package dev.nodepath.bench.paths;

import dev.nodepath.bench.Suite;
import dev.nodepath.bench.SuiteSettings;
import dev.nodepath.bench.testbed.Contender;
import dev.nodepath.bench.testbed.Programs;
import dev.nodepath.report.SuiteResult;

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
        return new PathRun(subject, Programs.installed(settings.kubeProxy()), lengths, settings).run();
    }
}
