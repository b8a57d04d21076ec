package dev.nodepath.bench;

import dev.nodepath.agent.CommandProvider;
import dev.nodepath.bench.cni.CniSuite;
import dev.nodepath.bench.paths.ChurnSuite;
import dev.nodepath.bench.paths.PathSuite;
import dev.nodepath.bench.paths.ScaleSuite;
import dev.nodepath.bench.policy.PolicySuite;
import dev.nodepath.bench.programming.ProgrammingSuite;
import dev.nodepath.bench.programming.SoakSuite;
import dev.nodepath.bench.suite.Suite;
import dev.nodepath.bench.testbed.Contender;
import java.util.List;

/** The commands that this module brings to the command line. */
public final class BenchCommands implements CommandProvider {
    @Override
    public List<String> names() {
        return List.of("bench", EnclosedBenchCommand.NAME);
    }

    @Override
    public Object command(String name) {
        return switch (name) {
            case "bench" -> new BenchCommand(suites());
            case EnclosedBenchCommand.NAME -> new EnclosedBenchCommand(suites());
            default -> throw new IllegalArgumentException(name);
        };
    }

    private static List<Suite> suites() {
        PathSuite userspace = PathSuite.of(Contender.USERSPACE);
        return List.of(
                userspace,
                userspace.under("reno"),
                PathSuite.of(Contender.IPTABLES),
                PathSuite.of(Contender.NFTABLES),
                new ScaleSuite(),
                new ProgrammingSuite(),
                new SoakSuite(),
                new CniSuite(),
                new ChurnSuite(),
                new PolicySuite());
    }
}
