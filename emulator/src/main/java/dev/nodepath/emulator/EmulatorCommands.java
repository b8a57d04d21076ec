package dev.nodepath.emulator;

import dev.nodepath.agent.CommandProvider;
import java.util.List;

/** The commands that this module brings to the command line. */
public final class EmulatorCommands implements CommandProvider {
    @Override
    public List<String> names() {
        return List.of(
                "compare",
                "up",
                "status",
                "exec",
                "logs",
                "page",
                KubectlCommand.NAME,
                "restart",
                "down",
                EnclosedCompareCommand.NAME,
                EnclosedClusterCommand.NAME);
    }

    @Override
    public Object command(String name) {
        return switch (name) {
            case "compare" -> new CompareCommand();
            case "up" -> new UpCommand();
            case "status" -> new StatusCommand();
            case "exec" -> new ExecCommand();
            case "logs" -> new LogsCommand();
            case "page" -> new PageCommand();
            case KubectlCommand.NAME -> new KubectlCommand();
            case "restart" -> new RestartCommand();
            case "down" -> new DownCommand();
            case EnclosedCompareCommand.NAME -> new EnclosedCompareCommand();
            case EnclosedClusterCommand.NAME -> new EnclosedClusterCommand();
            default -> throw new IllegalArgumentException(name);
        };
    }
}
