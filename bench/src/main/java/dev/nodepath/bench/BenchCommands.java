package dev.nodepath.bench;

import dev.nodepath.agent.CommandProvider;
import dev.nodepath.bench.cni.CniSuite;
import java.util.List;

/** The commands that this module brings to the command line. */
public final class BenchCommands implements CommandProvider {
    @Override
    public List<Object> commands() {
        List<Suite> suites = List.of(new CniSuite());
        return List.of(new BenchCommand(suites), new EnclosedBenchCommand(suites));
    }
}
