package dev.nodepath.bench.paths;

import dev.nodepath.bench.suite.Suite;
import dev.nodepath.bench.suite.SuiteSettings;
import dev.nodepath.bench.testbed.Contender;
import dev.nodepath.bench.testbed.Programs;
import dev.nodepath.report.SuiteResult;
import java.util.Arrays;
import java.util.List;

/** Compares one mode with the direct path, the other mode and peers. */
public final class PathSuite implements Suite {
    private final Contender subject;

    /** The suite of userspace mode or of iptables mode. */
    public PathSuite(Contender subject) {
        this.subject = subject;
    }

    @Override
    public String name() {
        return subject.toString();
    }

    @Override
    public SuiteResult run(SuiteSettings settings) throws Exception {
        MeasurementLengths lengths = settings.quick() ? MeasurementLengths.QUICK : MeasurementLengths.FULL;
        List<Contender> contenders = Arrays.stream(Contender.values())
                .filter(contender -> switch (contender) {
                    // The suite of iptables mode measures userspace mode as a peer; here that would take too long.
                    case IPTABLES -> !settings.quick() || subject == contender;
                    // Rules in front of a relay belong to the relay.
                    case HAPROXY_DNAT -> subject == Contender.USERSPACE;
                    default -> true;
                })
                .toList();
        return new PathRun(subject, contenders, Programs.installed(settings.kubeProxy()), lengths, settings).run();
    }
}
