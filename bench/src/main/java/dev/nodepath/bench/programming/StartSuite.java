package dev.nodepath.bench.programming;

import dev.nodepath.bench.suite.Suite;
import dev.nodepath.bench.suite.SuiteSettings;
import dev.nodepath.bench.testbed.Programs;
import dev.nodepath.report.SuiteResult;
import java.util.List;

/** What starts cost: of a proxy's process with few and with many Services, of an emulated cluster, of a command. */
public final class StartSuite implements Suite {
    private static final int FEW = 1;

    @Override
    public String name() {
        return "start";
    }

    @Override
    public SuiteResult run(SuiteSettings settings) throws Exception {
        Programs programs = Programs.installed(settings.kubeProxy());
        return new SuiteRun(
                        name(),
                        settings,
                        List.of(
                                new ClusterStarts(programs, settings),
                                new ProxyProcesses(programs, settings, FEW),
                                new ProxyProcesses(programs, settings, ProgrammingSizes.WITH_TARGETS)))
                .run();
    }
}
