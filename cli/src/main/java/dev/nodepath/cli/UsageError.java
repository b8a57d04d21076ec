package dev.nodepath.cli;

import dev.nodepath.agent.options.NearNames;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import picocli.CommandLine;
import picocli.CommandLine.MissingParameterException;
import picocli.CommandLine.Model.ArgSpec;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.UnmatchedArgumentException;

/** The fault of a command line in one line, with near names and the place of the help. */
final class UsageError {
    private static final String WHOLE = "a whole number of at most " + Integer.MAX_VALUE;

    private static final String YES_OR_NO = "true or false";

    private static final Map<Class<?>, String> EXPECTED = Map.of(
            int.class, WHOLE,
            Integer.class, WHOLE,
            long.class, "a whole number",
            double.class, "a number",
            Double.class, "a number",
            boolean.class, YES_OR_NO,
            Boolean.class, YES_OR_NO);

    private UsageError() {}

    /** The line of a failure to parse these arguments. */
    static String line(ParameterException failure, String... args) {
        CommandSpec command = failure.getCommandLine().getCommandSpec();
        String problem = problem(failure, command, args);
        return problem + (problem.endsWith("?") ? " See '" : "; see '") + command.qualifiedName() + " --help'";
    }

    static boolean isOption(String word) {
        return word.startsWith("-");
    }

    private static String problem(ParameterException failure, CommandSpec command, String... args) {
        ArgSpec argument = failure.getArgSpec();
        if (failure instanceof UnmatchedArgumentException unmatched) {
            String word = unmatched.getUnmatched().stream().findFirst().orElseGet(() -> unknownOption(command, args));
            if (isOption(word)) {
                boolean ofCommand = command.positionalParameters().stream()
                        .anyMatch(each -> each.index().min() > 0 && each.arity().isVariable());
                return optionName(word) + ": unknown option"
                        + (ofCommand ? " (expected: '--' before a command with options)" : "")
                        + NearNames.hint(optionName(word), optionNames(command));
            }
            if (!command.subcommands().isEmpty()) {
                return "'" + word + "': unknown command" + NearNames.hint(word, commandNames(command));
            }
            return "'" + word + "': not taken (expected: " + positional(command) + ")";
        } else if (failure instanceof MissingParameterException missing
                && !missing.getMissing().isEmpty()) {
            return missing.getMissing().stream().map(each -> name(each, args)).collect(Collectors.joining(", "))
                    + ": missing";
        } else if (argument != null
                && EXPECTED.containsKey(argument.typeInfo().getType())
                && failure.getValue() != null) {
            return name(argument, args) + ": " + failure.getValue() + " (expected: "
                    + EXPECTED.get(argument.typeInfo().getType()) + ")";
        } else if (argument != null && argument.typeInfo().isEnum() && failure.getValue() != null) {
            List<String> values = new ArrayList<>();
            argument.completionCandidates().forEach(values::add);
            return name(argument, args) + ": " + failure.getValue() + " (expected: " + String.join(", ", values) + ")"
                    + NearNames.hint(failure.getValue(), values);
        }
        return String.valueOf(failure.getMessage());
    }

    /** An option's name as it was typed. */
    private static String name(ArgSpec argument, String... args) {
        if (argument instanceof OptionSpec option) {
            List<String> typed = Arrays.stream(args).map(UsageError::optionName).toList();
            return Arrays.stream(option.names())
                    .filter(typed::contains)
                    .findFirst()
                    .orElse(option.longestName());
        }
        return argument.paramLabel();
    }

    /** The arguments of a command besides options. */
    private static String positional(CommandSpec command) {
        return command.positionalParameters().isEmpty()
                ? "options alone"
                : command.positionalParameters().stream()
                                .map(ArgSpec::paramLabel)
                                .collect(Collectors.joining(" ")) + " alone";
    }

    /** picocli does not report an unknown option behind an option with several values. */
    private static String unknownOption(CommandSpec command, String... args) {
        return Arrays.stream(args)
                .filter(word -> isOption(word) && command.findOption(optionName(word)) == null)
                .findFirst()
                .orElse("");
    }

    private static String optionName(String word) {
        return word.replaceFirst("=.*", "");
    }

    private static List<String> optionNames(CommandSpec command) {
        return command.options().stream()
                .filter(option -> !option.hidden())
                .flatMap(option -> Stream.of(option.names()))
                .toList();
    }

    private static List<String> commandNames(CommandSpec command) {
        return command.subcommands().values().stream()
                .map(CommandLine::getCommandSpec)
                .filter(each -> !each.usageMessage().hidden())
                .map(CommandSpec::name)
                .toList();
    }
}
