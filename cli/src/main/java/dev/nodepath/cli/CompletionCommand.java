package dev.nodepath.cli;

import java.util.concurrent.Callable;
import picocli.AutoComplete;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** {@code nodepath completion}: prints the script that completes commands with Tab in a shell. */
@Command(
        name = "completion",
        description = {
            "Prints a script with which the Tab key completes commands and options.",
            "bash and zsh read it; the second example is for every new shell."
        },
        footer = {". <(nodepath completion)", "echo '. <(nodepath completion)' >>~/.bashrc"},
        mixinStandardHelpOptions = true)
final class CompletionCommand implements Callable<Integer> {
    @Spec
    private CommandSpec spec = CommandSpec.create();

    @Override
    public Integer call() {
        CommandSpec root = spec.root();
        spec.commandLine().getOut().print(AutoComplete.bash(root.name(), root.commandLine()));
        spec.commandLine().getOut().flush();
        return 0;
    }
}
