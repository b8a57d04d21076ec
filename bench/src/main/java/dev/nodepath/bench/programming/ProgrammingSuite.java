package dev.nodepath.bench.programming;

import dev.nodepath.bench.Suite;
import dev.nodepath.bench.SuiteSettings;
import dev.nodepath.bench.testbed.Programs;
import dev.nodepath.report.SuiteResult;
import java.util.List;

/** From an event to the kernel's rules, in iptables mode, beside the bare commands that the system offers for the same. */
public final class ProgrammingSuite implements Suite {
    private static final List<Integer> SIZES = List.of(100, 1000, 2000, 5000);
    private static final List<Integer> QUICK_SIZES = List.of(100, 1000);
    /** The size that the process's memory is judged at. */
    private static final int PROCESS_SERVICES = 2000;

    @Override
    public String name() {
        return "programming";
    }

    @Override
    public SuiteResult run(SuiteSettings settings) throws Exception {
        Programs programs = Programs.installed(settings.kubeProxy());
        return new ProgrammingRun(programs, settings, settings.quick() ? QUICK_SIZES : SIZES, PROCESS_SERVICES).run();
    }
}
