package dev.nodepath.bench.policy;

import dev.nodepath.bench.suite.Suite;
import dev.nodepath.bench.suite.SuiteSettings;
import dev.nodepath.bench.testbed.Programs;
import dev.nodepath.emulator.enclosure.Installation;
import dev.nodepath.report.SuiteResult;
import java.nio.file.Path;

/** NetworkPolicies: the time until a change is in force, and their cost for connections, new pods and memory. */
public final class PolicySuite implements Suite {
    @Override
    public String name() {
        return "policy";
    }

    @Override
    public SuiteResult run(SuiteSettings settings) throws Exception {
        Path plugin =
                Installation.scripts().resolveSibling("target").resolve("bin").resolve("nodepath-bridge");
        return new PolicyRun(
                        Programs.installed(settings.kubeProxy()),
                        plugin,
                        settings,
                        settings.quick() ? PolicySizes.QUICK : PolicySizes.WHOLE)
                .run();
    }
}
