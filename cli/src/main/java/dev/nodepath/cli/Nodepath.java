package dev.nodepath.cli;

import dev.nodepath.agent.options.CommandException;
import dev.nodepath.agent.process.EventLog;
import dev.nodepath.agent.process.NodepathVersion;
import dev.nodepath.agent.process.ProcessLaunch;
import dev.nodepath.agent.process.ProgramName;
import dev.nodepath.endpoints.source.ManifestException;
import java.io.PrintWriter;
import java.nio.file.FileSystemException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.ParseResult;
import picocli.CommandLine.Spec;
import picocli.CommandLine.UnmatchedArgumentException;

/**
 * {@code nodepath COMMAND}: the composition root of the project.
 *
 * <p>Exit codes: 0 done, 1 failed, 2 wrong usage or an invalid file. Errors are one line each, on standard error.
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
    private static final Set<String> ASK_FOR_A_LIST = Set.of("--help", "-h", "--version", "-V");
    private static final Set<String> TELL_OF_OTHERS = Set.of("completion", "help");

    /** In the order of the list. picocli makes the command that it needs. */
    private static final Map<String, Class<?>> COMMANDS = new LinkedHashMap<>();

    static {
        COMMANDS.put("agent", AgentCommand.class);
        COMMANDS.put("proxy", ProxyCommand.class);
        COMMANDS.put("render", RenderCommand.class);
        COMMANDS.put("trace", TraceCommand.class);
        COMMANDS.put("cleanup", CleanupCommand.class);
        COMMANDS.put("cni-server", CniServerCommand.class);
        COMMANDS.put("compare", CompareCommand.class);
        COMMANDS.put("up", UpCommand.class);
        COMMANDS.put("status", StatusCommand.class);
        COMMANDS.put("exec", ExecCommand.class);
        COMMANDS.put("logs", LogsCommand.class);
        COMMANDS.put("page", PageCommand.class);
        COMMANDS.put(KubectlCommand.NAME, KubectlCommand.class);
        COMMANDS.put("restart", RestartCommand.class);
        COMMANDS.put("down", DownCommand.class);
        COMMANDS.put(EnclosedCompareCommand.NAME, EnclosedCompareCommand.class);
        COMMANDS.put(EnclosedClusterCommand.NAME, EnclosedClusterCommand.class);
        COMMANDS.put("bench", BenchCommand.class);
        COMMANDS.put(EnclosedBenchCommand.NAME, EnclosedBenchCommand.class);
        COMMANDS.put("completion", CompletionCommand.class);
        COMMANDS.put("help", HelpCommand.class);
    }

    @Spec
    private CommandSpec spec = CommandSpec.create();

    private Nodepath() {}

    /** Runs one command and ends the process with its exit code. */
    public static void main(String[] args) {
        EventLog.configure();
        ProcessLaunch.configure();
        System.exit(commandLineFor(args).execute(args));
    }

    /** The whole command line. */
    public static CommandLine commandLine() {
        CommandLine commandLine = new CommandLine(new Nodepath());
        COMMANDS.values().forEach(commandLine::addSubcommand);
        return configured(commandLine);
    }

    /**
     * Reads only the parts that the arguments need: the named command, or a summary of each. Reading the options of
     * all commands takes most of a start.
     */
    static CommandLine commandLineFor(String... args) {
        if (args.length == 0 || (args.length == 1 && ASK_FOR_A_LIST.contains(args[0]))) {
            CommandLine list = new CommandLine(new Nodepath());
            COMMANDS.values().forEach(command -> list.addSubcommand(summary(command)));
            return configured(list);
        }
        Class<?> command = COMMANDS.get(args[0]);
        return command == null || TELL_OF_OTHERS.contains(args[0])
                ? commandLine()
                : configured(new CommandLine(new Nodepath()).addSubcommand(command));
    }

    /** What the list of all commands says of one. */
    private static CommandSpec summary(Class<?> command) {
        Command said = Objects.requireNonNull(command.getAnnotation(Command.class));
        CommandSpec summary = CommandSpec.create().name(said.name());
        summary.usageMessage().description(said.description()).hidden(said.hidden());
        return summary;
    }

    private static CommandLine configured(CommandLine commandLine) {
        CommandHelp.complete(commandLine);
        provideVersion(commandLine);
        commandLine.setCommandName(ProgramName.typed());
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
        return failure instanceof ManifestException ? CommandException.WRONG_USAGE : CommandException.FAILED;
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
        err.println("nodepath: " + ProgramName.in(line.replace('\n', ' ')));
        err.flush();
    }
}
