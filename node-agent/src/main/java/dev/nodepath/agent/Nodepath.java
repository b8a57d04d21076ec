package dev.nodepath.agent;

import dev.nodepath.agent.logging.EventLog;
import dev.nodepath.agent.options.CommandException;
import dev.nodepath.agent.options.UnusedOptions;
import dev.nodepath.agent.process.NodepathVersion;
import java.io.PrintWriter;
import java.nio.file.FileSystemException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.ServiceLoader;
import java.util.regex.Pattern;
import picocli.AutoComplete;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/**
 * The command line, {@code nodepath COMMAND}: the composition root of the project.
 *
 * <p>Exit codes: 0 done, 1 failed, 2 wrong usage. Errors are one line each, on standard error.
 */
@Command(
        name = "nodepath",
        description = "The Kubernetes node data path in Java: a kube-proxy, a CNI plugin, and an emulated cluster.",
        synopsisSubcommandLabel = "COMMAND",
        mixinStandardHelpOptions = true)
public final class Nodepath implements Runnable {
    private static final Pattern CONSTANTS = Pattern.compile("(\\[[A-Z_, ]+]) \\(case-insensitive\\)");

    @Spec
    private CommandSpec spec = CommandSpec.create();

    private Nodepath() {}

    /** Runs one command and ends the process with its exit code. */
    public static void main(String[] args) {
        EventLog.configure();
        System.exit(commandLineFor(args).execute(args));
    }

    /** The whole command line: the commands of this module, and the commands of other modules on the class path. */
    public static CommandLine commandLine() {
        return commandLine(commands());
    }

    /** With the command that the arguments name, else with all: to read the options of all takes most of a start. */
    static CommandLine commandLineFor(String... args) {
        List<Object> all = commands();
        List<Object> named = all.stream()
                .filter(each -> args.length > 0 && args[0].equals(name(each)))
                .toList();
        return commandLine(named.isEmpty() ? all : named);
    }

    private static List<Object> commands() {
        List<Object> commands = new ArrayList<>(List.of(
                new AgentCommand(),
                new ProxyCommand(),
                new RenderCommand(),
                new TraceCommand(),
                new CleanupCommand(),
                new CniServerCommand()));
        ServiceLoader.load(CommandProvider.class).forEach(provider -> commands.addAll(provider.commands()));
        return commands;
    }

    private static String name(Object command) {
        return command.getClass().getAnnotation(Command.class).name();
    }

    private static CommandLine commandLine(List<Object> commands) {
        CommandLine commandLine = new CommandLine(new Nodepath());
        commands.forEach(commandLine::addSubcommand);
        commandLine.getSubcommands().values().forEach(command -> UnusedOptions.describe(command.getCommandSpec()));
        commandLine.addSubcommand("completion", new AutoComplete.GenerateCompletion());
        provideVersion(commandLine);
        commandLine.setExecutionExceptionHandler(Nodepath::explain);
        commandLine.setParameterExceptionHandler(Nodepath::explainUsage);
        commandLine.setCaseInsensitiveEnumValuesAllowed(true);
        commandLine.setUnmatchedOptionsAllowedAsOptionParameters(false);
        return commandLine;
    }

    /** Every command has --version. */
    private static void provideVersion(CommandLine commandLine) {
        commandLine.getCommandSpec().versionProvider(new NodepathVersion());
        commandLine.getSubcommands().values().forEach(Nodepath::provideVersion);
    }

    @Override
    public void run() {
        throw new ParameterException(spec.commandLine(), "no command given (expected: nodepath COMMAND)");
    }

    private static int explain(Exception failure, CommandLine commandLine, CommandLine.ParseResult parsed) {
        if (failure instanceof CommandException known) {
            known.lines().forEach(line -> error(commandLine, line));
            return known.exitCode();
        }
        error(commandLine, message(failure));
        if (System.getProperty("nodepath.debug") != null) {
            failure.printStackTrace(commandLine.getErr());
        }
        return CommandException.FAILED;
    }

    /** The message of a FileSystemException is only a file name. */
    private static String message(Exception failure) {
        String message = failure.getMessage();
        return message == null || failure instanceof FileSystemException ? failure.toString() : message;
    }

    private static int explainUsage(ParameterException failure, String[] args) {
        CommandLine commandLine = failure.getCommandLine();
        error(
                commandLine,
                asTyped(String.valueOf(failure.getMessage())) + "; see 'nodepath"
                        + (commandLine.getParent() == null ? "" : " " + commandLine.getCommandName()) + " --help'");
        return CommandException.WRONG_USAGE;
    }

    /** The values of an option as a user writes them: picocli lists the names of constants. */
    private static String asTyped(String message) {
        return CONSTANTS.matcher(message).replaceAll(match -> match.group(1).toLowerCase(Locale.ROOT));
    }

    private static void error(CommandLine commandLine, String line) {
        PrintWriter err = commandLine.getErr();
        err.println("nodepath: " + line.replace('\n', ' '));
        err.flush();
    }
}
