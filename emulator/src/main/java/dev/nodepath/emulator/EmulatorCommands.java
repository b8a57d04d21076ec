package dev.nodepath.emulator;

import dev.nodepath.agent.CommandProvider;
import java.util.List;

/** The commands that this module brings to the command line. */
public final class EmulatorCommands implements CommandProvider {
    @Override
    public List<Object> commands() {
        return List.of(
                new CompareCommand(),
                new UpCommand(),
                new StatusCommand(),
                new ExecCommand(),
                new LogsCommand(),
                new PageCommand(),
                new KubectlCommand(),
                new RestartCommand(),
                new DownCommand(),
                new EnclosedCompareCommand(),
                new EnclosedClusterCommand());
    }
}
