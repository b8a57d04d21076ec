package dev.nodepath.agent;

import dev.nodepath.agent.options.CommandException;
import dev.nodepath.agent.process.EventLog;
import dev.nodepath.agent.process.NodepathVersion;
import dev.nodepath.agent.process.ProcessLaunch;
import dev.nodepath.agent.process.ProgramName;
import dev.nodepath.endpoints.source.ManifestException;
import java.io.PrintWriter;
import java.nio.file.FileSystemException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
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

    @Spec
    private CommandSpec spec = CommandSpec.create();

    private Nodepath() {}

    /** Runs one command and ends the process with its exit code. */
    public static void main(String[] args) {
        EventLog.configure();
        ProcessLaunch.configure();
        System.exit(commandLineFor(args).execute(args));
    }

    /** The whole command line: the commands of this module, and the commands of other modules on the class path. */
    public static CommandLine commandLine() {
        CommandLine commandLine = new CommandLine(new Nodepath());
        commands().forEach(commandLine::addSubcommand);
        return configured(commandLine);
    }

    /**
     * With no more than what the arguments ask for: the command that they name, or what each is for. To read the
     * options of all takes most of a start.
     */
    public static CommandLine commandLineFor(String... args) {
        if (args.length == 0 || (args.length == 1 && ASK_FOR_A_LIST.contains(args[0]))) {
            CommandLine list = new CommandLine(new Nodepath());
            commands().forEach(command -> list.addSubcommand(summary(command)));
            return configured(list);
        }
        return named(args[0])
                .map(command -> configured(new CommandLine(new Nodepath()).addSubcommand(command)))
                .orElseGet(Nodepath::commandLine);
    }

    /** The command of this name; empty if there is none, or it tells of the others. */
    private static Optional<Object> named(String name) {
        CommandProvider own = new AgentCommands();
        if (own.names().contains(name)) {
            return Optional.of(own.command(name));
        }
        for (CommandProvider provider : ServiceLoader.load(CommandProvider.class)) {
            if (provider.names().contains(name)) {
                return Optional.of(provider.command(name));
            }
        }
        return Optional.empty();
    }

    private static List<Object> commands() {
        List<CommandProvider> providers = new ArrayList<>(List.of(new AgentCommands()));
        ServiceLoader.load(CommandProvider.class).forEach(providers::add);
        List<Object> commands = new ArrayList<>();
        for (CommandProvider provider : providers) {
            provider.names().forEach(name -> commands.add(provider.command(name)));
        }
        commands.addAll(List.of(new CompletionCommand(), new HelpCommand()));
        return commands;
    }

    /** What the list of all commands says of one. */
    private static CommandSpec summary(Object command) {
        Command said = command.getClass().getAnnotation(Command.class);
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
