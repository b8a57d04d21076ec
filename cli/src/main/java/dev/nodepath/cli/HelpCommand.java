package dev.nodepath.cli;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;
import picocli.CommandLine.UnmatchedArgumentException;

/** {@code nodepath help COMMAND}: the same as {@code nodepath COMMAND --help}, like kubectl and git. */
@Command(
        name = "help",
        description = "Prints the help of a command, or the list of commands.",
        footer = {"nodepath help", "nodepath help trace", "nodepath help bench diff"},
        mixinStandardHelpOptions = true)
final class HelpCommand implements Callable<Integer> {
    @Parameters(
            arity = "0..*",
            paramLabel = "COMMAND",
            description = "The command, and a command of it (default: the list of all).")
    private List<String> names = new ArrayList<>();

    @Spec
    private CommandSpec spec = CommandSpec.create();

    @Override
    public Integer call() {
        CommandLine command = spec.root().commandLine();
        for (String name : names) {
            CommandLine next = command.getSubcommands().get(name);
            if (next == null) {
                throw new UnmatchedArgumentException(command, List.of(name));
            }
            command = next;
        }
        command.usage(spec.commandLine().getOut());
        return 0;
    }
}
