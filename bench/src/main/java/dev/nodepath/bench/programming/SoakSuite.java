package dev.nodepath.bench.programming;

import dev.nodepath.bench.suite.Suite;
import dev.nodepath.bench.suite.SuiteSettings;
import dev.nodepath.bench.testbed.Programs;
import dev.nodepath.report.SuiteResult;
import java.time.Duration;

/** Endpoints of a large cluster change all the time: the time until a change is in force, and its cost. */
public final class SoakSuite implements Suite {
    @Override
    public String name() {
        return "soak";
    }

    @Override
    public SuiteResult run(SuiteSettings settings) throws Exception {
        SoakRun.Load load = settings.quick()
                ? new SoakRun.Load(1000, 10, 100, Duration.ofSeconds(5))
                : new SoakRun.Load(5000, 20, 100, Duration.ofSeconds(60));
        return new SoakRun(Programs.installed(settings.kubeProxy()), settings, load).run();
    }
}
