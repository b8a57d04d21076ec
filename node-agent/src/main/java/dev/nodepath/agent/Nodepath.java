package dev.nodepath.agent;

import dev.nodepath.agent.logging.EventLog;
import dev.nodepath.agent.options.CommandException;
import dev.nodepath.agent.process.NodepathVersion;
import java.io.PrintWriter;
import java.nio.file.FileSystemException;
import java.util.ArrayList;
import java.util.List;
import java.util.ServiceLoader;
import java.util.Set;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.ParseResult;
import picocli.CommandLine.Spec;
import picocli.CommandLine.UnmatchedArgumentException;

/**
 * The command line, {@code nodepath COMMAND}: the composition root of the project.
 *
 * <p>Exit codes: 0 done, 1 failed, 2 wrong usage. Errors are one line each, on standard error.
 */
@Command(
        name = "nodepath",
        description = "The Kubernetes node data path in Java: a kube-proxy, a CNI plugin, and an emulated cluster.",
        footer = {
            "nodepath up                                 start a cluster on this machine",
            "nodepath trace client-1 web:80              what happens to a packet in it",
            "nodepath render --manifests services.yaml   the rules for some Services",
            "nodepath help up                            the options of a command"
        },
        synopsisSubcommandLabel = "COMMAND",
        mixinStandardHelpOptions = true)
public final class Nodepath implements Runnable {
    private static final Set<String> TELL_OF_ALL = Set.of(HelpCommand.NAME, CompletionCommand.NAME);

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

    /**
     * With the command that the arguments name, else with all: to read the options of all takes most of a start. Some
     * commands tell of the others.
     */
    static CommandLine commandLineFor(String... args) {
        List<Object> all = commands();
        List<Object> named = all.stream()
                .filter(each -> args.length > 0 && args[0].equals(name(each)) && !TELL_OF_ALL.contains(args[0]))
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
        commands.addAll(List.of(new CompletionCommand(), new HelpCommand()));
        return commands;
    }

    private static String name(Object command) {
        return command.getClass().getAnnotation(Command.class).name();
    }

    private static CommandLine commandLine(List<Object> commands) {
        CommandLine commandLine = new CommandLine(new Nodepath());
        commands.forEach(commandLine::addSubcommand);
        CommandHelp.complete(commandLine);
        provideVersion(commandLine);
        commandLine.setExecutionStrategy(Nodepath::runKnown);
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

    /** No command: the list of them. */
    @Override
    public void run() {
        spec.commandLine().usage(spec.commandLine().getOut());
    }

    /** picocli answers {@code nodepath COMMAND --help} also where there is no such command. */
    private static int runKnown(ParseResult parsed) {
        List<String> unknown = parsed.unmatched();
        if (!parsed.hasSubcommand() && !unknown.isEmpty() && !UsageError.isOption(unknown.get(0))) {
            throw new UnmatchedArgumentException(parsed.commandSpec().commandLine(), unknown);
        }
        return new CommandLine.RunLast().execute(parsed);
    }

    private static int explain(Exception failure, CommandLine commandLine, ParseResult parsed) {
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
        error(failure.getCommandLine(), UsageError.line(failure, args));
        return CommandException.WRONG_USAGE;
    }

    private static void error(CommandLine commandLine, String line) {
        PrintWriter err = commandLine.getErr();
        err.println("nodepath: " + line.replace('\n', ' '));
        err.flush();
    }
}
