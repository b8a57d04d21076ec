package dev.nodepath.bench;

import dev.nodepath.agent.CommandProvider;
import dev.nodepath.bench.churn.ChurnSuite;
import dev.nodepath.bench.cni.CniSuite;
import dev.nodepath.bench.paths.PathSuite;
import dev.nodepath.bench.programming.ProgrammingSuite;
import dev.nodepath.bench.programming.SoakSuite;
import dev.nodepath.bench.scale.ScaleSuite;
import dev.nodepath.bench.suite.Suite;
import dev.nodepath.bench.testbed.Contender;
import java.util.List;

/** The commands that this module brings to the command line. */
public final class BenchCommands implements CommandProvider {
    @Override
    public List<Object> commands() {
        PathSuite userspace = PathSuite.of(Contender.USERSPACE);
        List<Suite> suites = List.of(
                userspace,
                userspace.under("reno"),
                PathSuite.of(Contender.IPTABLES),
                PathSuite.of(Contender.NFTABLES),
                new ScaleSuite(),
                new ProgrammingSuite(),
                new SoakSuite(),
                new CniSuite(),
                new ChurnSuite());
        return List.of(new BenchCommand(suites), new EnclosedBenchCommand(suites));
    }
}
