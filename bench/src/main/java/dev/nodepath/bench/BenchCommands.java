package dev.nodepath.bench;

import dev.nodepath.agent.CommandProvider;
import dev.nodepath.bench.cni.CniSuite;
import java.util.List;

/** The command that this module brings to the command line. */
public final class BenchCommands implements CommandProvider {
    @Override
    public List<Object> commands() {
        return List.of(new BenchCommand(List.of(new CniSuite())));
    }
}
