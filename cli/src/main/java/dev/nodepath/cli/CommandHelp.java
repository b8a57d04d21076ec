package dev.nodepath.cli;

import dev.nodepath.agent.options.UnusedOptions;
import dev.nodepath.agent.process.ProgramName;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import picocli.CommandLine;
import picocli.CommandLine.Model.UsageMessageSpec;

/**
 * The end of every command's help: exit codes and examples. A command's {@code footer} has its examples, a command
 * line each, and its {@code exitCodeList} the differences from the usual codes.
 */
final class CommandHelp {
    private static final Map<String, String> EXIT_CODES = new LinkedHashMap<>();

    static {
        EXIT_CODES.put("0", "Done.");
        EXIT_CODES.put("1", "Failed; standard error says why.");
        EXIT_CODES.put("2", "Wrong usage, or an input that is not valid.");
    }

    private CommandHelp() {}

    static void complete(CommandLine command) {
        UsageMessageSpec help = command.getCommandSpec().usageMessage();
        Map<String, String> codes = new LinkedHashMap<>(EXIT_CODES);
        codes.putAll(help.exitCodeList());
        help.exitCodeListHeading("%nExit codes:%n").exitCodeList(codes);
        List<String> end = new ArrayList<>();
        Arrays.stream(help.footer())
                .map(example -> "  " + ProgramName.in(example))
                .forEach(end::add);
        end.addAll(UnusedOptions.described(command.getCommandSpec()));
        help.footerHeading("%nExamples:%n").footer(end.toArray(String[]::new));
        command.getSubcommands().values().forEach(CommandHelp::complete);
    }
}
