package dev.nodepath.bench.programming;

import dev.nodepath.bench.suite.Suite;
import dev.nodepath.bench.suite.SuiteSettings;
import dev.nodepath.bench.testbed.Programs;
import dev.nodepath.report.SuiteResult;
import java.util.List;

/** Measures the time from an event to the kernel's rules in iptables mode, and of the bare commands for the same change. */
public final class ProgrammingSuite implements Suite {
    private static final List<Integer> SIZES = List.of(100, 1000, 2000, 5000);
    private static final List<Integer> QUICK_SIZES = List.of(100, 1000);
    /** The number of Services at which a process's memory has a target. */
    private static final int PROCESS_SERVICES = 2000;
    /**
     * The most Services whose rules are all written at once with nf_tables. With 5000 that takes minutes, and a round
     * five.
     */
    private static final int NFT_WHOLE_MAX = 2000;

    @Override
    public String name() {
        return "programming";
    }

    @Override
    public SuiteResult run(SuiteSettings settings) throws Exception {
        Programs programs = Programs.installed(settings.kubeProxy());
        List<Integer> sizes = settings.quick() ? QUICK_SIZES : SIZES;
        return new ProgrammingRun(programs, settings, sizes, PROCESS_SERVICES, NFT_WHOLE_MAX).run();
    }
}
