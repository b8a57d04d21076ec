package dev.nodepath.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.Set;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine;
import picocli.CommandLine.MissingParameterException;
import picocli.CommandLine.Model.ArgSpec;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;

/** The help of every command that people see, of every module. */
class CommandHelpTest {
    private static final int WIDTH = 80;
    private static final CommandLine NODEPATH = Nodepath.commandLine();
    /** Words of Kubernetes in the case that its users know. */
    private static final Set<String> KUBERNETES = Set.of("podCIDRs", "externalTrafficPolicy", "proxyMode");

    private static final Pattern JAVA_NAME = Pattern.compile("\\b[a-z]+[A-Z]\\w*|<\\w+>|\\b[A-Z]\\w+\\.java");
    private static final Pattern DEFAULT = Pattern.compile("\\(default\\b");

    private static final String OBJECTS = """
            {apiVersion: v1, kind: Node, metadata: {name: n1}, spec: {podCIDR: 10.244.1.0/24},
              status: {addresses: [{type: InternalIP, address: 172.30.0.11}]}}
            ---
            {apiVersion: v1, kind: Service, metadata: {name: web},
              spec: {clusterIPs: [10.96.0.10, "fd00:96::a"], ports: [{port: 80}]}}
            """;

    @TempDir
    private Path folder;

    private final StringWriter out = new StringWriter();
    private final StringWriter err = new StringWriter();

    /** The commands by the words that a user types, with the empty text for the root. */
    private static List<String> commands() {
        List<String> names = new ArrayList<>(List.of(""));
        collect("", NODEPATH, names);
        return names;
    }

    private static void collect(String path, CommandLine command, List<String> names) {
        command.getSubcommands().forEach((name, each) -> {
            if (!each.getCommandSpec().usageMessage().hidden()) {
                names.add((path + " " + name).strip());
                collect(path + " " + name, each, names);
            }
        });
    }

    private static List<String> words(String line) {
        return Stream.of(line.split(" ", -1)).filter(word -> !word.isEmpty()).toList();
    }

    private static CommandSpec spec(String path) {
        CommandLine command = NODEPATH;
        for (String name : words(path)) {
            command = Objects.requireNonNull(command.getSubcommands().get(name), path);
        }
        return command.getCommandSpec();
    }

    private static List<ArgSpec> arguments(String path) {
        return spec(path).args().stream().filter(argument -> !argument.hidden()).toList();
    }

    private int run(String line) {
        List<String> words = words(line);
        CommandLine commandLine = Nodepath.commandLine();
        out.getBuffer().setLength(0);
        err.getBuffer().setLength(0);
        commandLine.setOut(new PrintWriter(out, true)).setErr(new PrintWriter(err, true));
        return commandLine.execute(words.toArray(String[]::new));
    }

    private String help(String path) {
        assertThat(run(path + " --help")).isZero();
        return out.toString();
    }

    @ParameterizedTest
    @MethodSource("commands")
    void theThreeWaysToAskForHelpPrintTheSame(String path) {
        String help = help(path);
        for (String line : List.of(path + " -h", "help " + path)) {
            assertThat(run(line)).as(line).isZero();
            assertThat(out.toString()).as(line).isEqualTo(help).startsWith(("Usage: nodepath " + path).strip());
            assertThat(err.toString()).as(line).isEmpty();
        }
    }

    @Test
    void noArgumentsPrintTheListOfCommands() {
        String help = help("");
        assertThat(run("")).isZero();
        assertThat(out.toString()).isEqualTo(help);
        assertThat(err.toString()).isEmpty();
    }

    @ParameterizedTest
    @MethodSource("commands")
    void labelsAreWordsOfUpperCaseLetters(String path) {
        for (ArgSpec argument : arguments(path)) {
            if (argument.arity().max() > 0) {
                assertThat(argument.paramLabel())
                        .as(argument.toString())
                        .matches("[A-Z]+([-:|/,\\[]+[A-Z]+]*)*")
                        .doesNotContain("BOOLEAN");
            }
        }
    }

    @ParameterizedTest
    @MethodSource("commands")
    void descriptionsAreSentencesWithoutNamesOfTheCode(String path) {
        List<String> texts = new ArrayList<>(
                List.of(String.join(" ", spec(path).usageMessage().description())));
        arguments(path).forEach(argument -> texts.add(String.join(" ", argument.description())));
        for (String text : texts) {
            assertThat(text).matches("(?s)(\\$\\{|[A-Z/]|auto).*\\.");
            assertThat(JAVA_NAME.matcher(text).results().map(MatchResult::group))
                    .as(text)
                    .allMatch(KUBERNETES::contains);
        }
    }

    @ParameterizedTest
    @MethodSource("commands")
    void defaultsAreShown(String path) {
        for (ArgSpec argument : arguments(path)) {
            Object initial = argument.initialValue();
            boolean empty = initial == null
                    || initial.equals(false)
                    || initial.toString().isEmpty()
                    || (initial instanceof Collection<?> items && items.isEmpty());
            if (!argument.required() && (argument.defaultValue() != null || !empty)) {
                assertThat(String.join(" ", argument.description()))
                        .as(argument.toString())
                        .containsPattern(DEFAULT);
            }
        }
    }

    @ParameterizedTest
    @MethodSource("commands")
    void helpEndsWithExitCodesAndExamplesAndIsNarrow(String path) {
        String help = help(path);
        assertThat(help).containsSubsequence("\nExit codes:\n  0 ", "\n  1 ", "\n  2 ", "\nExamples:\n  ");
        assertThat(help.lines()).allMatch(line -> line.length() <= WIDTH);
        List<String> examples = examples(path);
        assertThat(examples).isNotEmpty();
        assertThat(help.lines().map(String::strip)).containsAll(examples);
    }

    @ParameterizedTest
    @MethodSource("commands")
    void examplesAreCommandLinesThatArePossible(String path) {
        for (String example : examples(path)) {
            assertThat(example).contains(("nodepath " + path).strip());
            assertThatCode(() -> PrintedCommandsTest.parse(example)).as(example).doesNotThrowAnyException();
        }
    }

    private static List<String> examples(String path) {
        return Arrays.stream(spec(path).usageMessage().footer())
                .takeWhile(line -> line.startsWith("  "))
                .map(String::strip)
                .toList();
    }

    /** Completion offers them too. */
    @ParameterizedTest
    @MethodSource("commands")
    void everyOfferedValueOfAnOptionIsTaken(String path) throws IOException {
        Path manifests = Files.writeString(folder.resolve("objects.yaml"), OBJECTS);
        for (ArgSpec argument : arguments(path)) {
            if (!argument.typeInfo().isEnum() || !(argument instanceof OptionSpec option)) {
                continue;
            }
            String help = help(path).replaceAll("\\s+", " ");
            for (String value : argument.completionCandidates()) {
                String line = path + " " + option.longestName() + "=" + value;
                assertThat(help).as(line).contains(value);
                assertThat(value).isNotEqualTo(value.toUpperCase(Locale.ROOT));
                assertThatCode(() -> NODEPATH.parseArgs(words(line).toArray(String[]::new)))
                        .as(line)
                        .satisfiesAnyOf(
                                failure -> assertThat(failure).isNull(),
                                failure -> assertThat(failure).isInstanceOf(MissingParameterException.class));
                if (path.equals("render") || path.equals("trace")) {
                    String packet = path.equals("trace") ? " --from=10.244.1.4 --to=10.96.0.10:80" : "";
                    String rest = " --pod-bridge-interface=cni0 --pod-interface-name-prefix=veth --manifests ";
                    assertThat(run(line + packet + rest + manifests))
                            .as(err.toString())
                            .isZero();
                }
            }
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"--help", "completion", "enclosed", "help enclosed-clster"})
    void commandsThatAreNotForPeopleDoNotShow(String line) {
        run(line);
        assertThat((out + "\n" + err)
                        .replaceFirst("'" + words(line).get(words(line).size() - 1) + "'", ""))
                .doesNotContain("enclosed");
    }
}
