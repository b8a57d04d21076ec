package dev.nodepath.bench.paths;

import dev.nodepath.bench.suite.Suite;
import dev.nodepath.bench.suite.SuiteSettings;
import dev.nodepath.bench.testbed.Programs;
import dev.nodepath.report.SuiteResult;
import java.util.List;

/** First packets and new connections at growing numbers of Services. */
public final class ScaleSuite implements Suite {
    private static final List<Integer> SIZES = List.of(1, 100, 1000, 5000);

    @Override
    public String name() {
        return "scale";
    }

    @Override
    public SuiteResult run(SuiteSettings settings) throws Exception {
        int probes = settings.quick() ? 100 : 500;
        int seconds = settings.quick() ? 1 : 3;
        return new ScaleRun(Programs.installed(settings.kubeProxy()), settings, SIZES, probes, seconds).run();
    }
}
