package dev.nodepath.bench.paths;

import dev.nodepath.bench.suite.Suite;
import dev.nodepath.bench.suite.SuiteSettings;
import dev.nodepath.bench.testbed.Programs;
import dev.nodepath.report.SuiteResult;
import java.time.Duration;

/** An endpoint stops and starts repeatedly while clients open new connections. */
public final class ChurnSuite implements Suite {
    @Override
    public String name() {
        return "churn";
    }

    @Override
    public SuiteResult run(SuiteSettings settings) throws Exception {
        Duration length = settings.quick() ? Duration.ofSeconds(2) : Duration.ofSeconds(8);
        return new ChurnRun(Programs.installed(settings.kubeProxy()), settings, length).run();
    }
}
