package dev.nodepath.bench.paths;

import dev.nodepath.bench.suite.Suite;
import dev.nodepath.bench.suite.SuiteSettings;
import dev.nodepath.bench.testbed.Contender;
import dev.nodepath.bench.testbed.Programs;
import dev.nodepath.report.SuiteResult;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;

/** Compares one mode with the direct path, other modes and peers. */
public final class PathSuite implements Suite {
    private final Contender subject;
    private final Optional<String> congestionControl;

    private PathSuite(Contender subject, Optional<String> congestionControl) {
        this.subject = subject;
        this.congestionControl = congestionControl;
    }

    /** The suite of a mode of ours, under the machine's congestion control. */
    public static PathSuite of(Contender subject) {
        return new PathSuite(subject, Optional.empty());
    }

    /** The same with another congestion control, such as {@code reno}, for all contenders. */
    public PathSuite under(String otherControl) {
        return new PathSuite(subject, Optional.of(otherControl));
    }

    @Override
    public String name() {
        return subject + congestionControl.map(control -> "-" + control).orElse("");
    }

    @Override
    public SuiteResult run(SuiteSettings settings) throws Exception {
        MeasurementLengths lengths = settings.quick() ? MeasurementLengths.QUICK : MeasurementLengths.FULL;
        List<Contender> contenders = contenders(settings.quick());
        return new PathRun(
                        name(),
                        subject,
                        congestionControl,
                        contenders,
                        Programs.installed(settings.kubeProxy()),
                        lengths,
                        settings)
                .run();
    }

    private List<Contender> contenders(boolean quick) {
        return Arrays.stream(Contender.values())
                .filter(contender ->
                        subject == Contender.NFTABLES ? isRules(contender) : isBesideRelay(contender, quick))
                .toList();
    }

    /** The relays have the suite of userspace mode. */
    private static boolean isRules(Contender contender) {
        return switch (contender) {
            case DIRECT, IPTABLES, NFTABLES, KUBE_PROXY_NFTABLES -> true;
            case USERSPACE, HAPROXY, HAPROXY_DNAT, NGINX, KUBE_PROXY, KUBE_PROXY_USERSPACE -> false;
        };
    }

    private boolean isBesideRelay(Contender contender, boolean quick) {
        return switch (contender) {
            // The suite of iptables mode measures userspace mode as a peer; here that would take too long.
            case IPTABLES -> !quick || subject == contender;
            // Rules in front of a relay belong to the relay.
            case HAPROXY_DNAT, KUBE_PROXY_USERSPACE -> subject == Contender.USERSPACE;
            // They have a suite of their own.
            case NFTABLES, KUBE_PROXY_NFTABLES -> false;
            case DIRECT, USERSPACE, HAPROXY, NGINX, KUBE_PROXY -> true;
        };
    }
}
