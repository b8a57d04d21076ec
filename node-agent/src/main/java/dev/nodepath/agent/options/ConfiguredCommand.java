package dev.nodepath.agent.options;

import dev.nodepath.endpoints.source.SourceException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import picocli.CommandLine;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.ParseResult;

/** Joins a command's arguments with a configuration file. */
public final class ConfiguredCommand {
    private static final Logger LOG = LoggerFactory.getLogger(ConfiguredCommand.class);

    private static final String MODE = "--mode";

    private ConfiguredCommand() {}

    /**
     * Parses both into a fresh command.
     *
     * @param overrides options that win over the file
     */
    public static <T> T of(T fresh, Path file, ParseResult given, Set<String> overrides)
            throws CommandException, SourceException {
        if (!Files.exists(file)) {
            throw CommandException.wrongUsage(List.of("--config: " + file + ": not found (expected: a file)"));
        }
        ConfigFile read = ConfigFile.read(file, overrides.contains(MODE) ? given(given, MODE) : Optional.empty());
        List<String> arguments = new ArrayList<>(read.arguments());
        List<String> ignored = new ArrayList<>();
        // An option that is given twice is listed twice, each time with all values.
        for (OptionSpec option : new LinkedHashSet<>(given.matchedOptions())) {
            String name = option.names()[0];
            if (isDecided(name) && !overrides.contains(name)) {
                ignored.add(name);
            } else if (UnusedOptions.has(option)) {
                // One option has all their names.
                UnusedOptions.values(given).forEach((each, value) -> arguments.add(each + "=" + value));
            } else if (option.arity().max() == 0) {
                arguments.add(name + "=" + option.getValue());
            } else {
                option.originalStringValues().forEach(value -> arguments.add(name + "=" + value));
            }
        }
        tell(file, ignored, read);
        CommandLine parser =
                new CommandLine(fresh).setCaseInsensitiveEnumValuesAllowed(true).setOverwrittenOptionsAllowed(true);
        parser.setOut(given.commandSpec().commandLine().getOut());
        try {
            parser.parseArgs(arguments.toArray(String[]::new));
        } catch (CommandLine.ParameterException e) {
            throw CommandException.failed(file + ": " + e.getMessage());
        }
        return fresh;
    }

    /** Whether a field of the file decides instead of an option of the command line. */
    static boolean isDecided(String option) {
        return ConfigFile.decided().contains(option) || StatusOptions.OLDER.contains(option);
    }

    private static Optional<String> given(ParseResult given, String name) {
        return given.hasMatchedOption(name)
                ? given.matchedOption(name).originalStringValues().stream().reduce((first, last) -> last)
                : Optional.empty();
    }

    private static void tell(Path file, List<String> ignored, ConfigFile read) {
        if (!read.unknown().isEmpty()) {
            LOG.atWarn()
                    .addKeyValue("fields", read.unknown())
                    .addKeyValue("file", file)
                    .log("config.fields_unknown");
        }
        if (!ignored.isEmpty()) {
            LOG.atWarn()
                    .addKeyValue("options", ignored)
                    .addKeyValue("file", file)
                    .log("config.options_ignored");
        }
        if (!read.unused().isEmpty()) {
            LOG.atInfo()
                    .addKeyValue("fields", read.unused())
                    .addKeyValue("file", file)
                    .log("config.fields_unused");
        }
    }
}
