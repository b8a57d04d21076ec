package dev.nodepath.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;
import picocli.CommandLine.MissingParameterException;
import picocli.CommandLine.ParameterException;

/** The command lines that pages, messages and scripts tell a reader to type. */
class PrintedCommandsTest {
    private static final Path HOME = Path.of("..");
    private static final CommandLine NODEPATH = Nodepath.commandLine();

    /** In a block of a page, a line that begins with one, behind a prompt. */
    private static final Pattern IN_BLOCK =
            Pattern.compile("(?m)^(?:[$#] )?(?:\\. <\\()?(?:scripts/)?(nodepath [a-z-].*)$");

    private static final Pattern BLOCK = Pattern.compile("(?ms)^ *```.*?^ *```");
    private static final Pattern IN_SENTENCE = Pattern.compile("`(?:scripts/)?(nodepath [^`]+)`");
    private static final Pattern IN_QUOTES = Pattern.compile("['“\"](?:scripts/)?(nodepath [a-z-][^'”\"]*)['”\"]");
    private static final Pattern IN_LIST = Pattern.compile("\"  (nodepath [a-z-][^\"]*)\"");
    private static final Pattern JOINT = Pattern.compile("\"\\s*\\+\\s*\"");
    private static final Pattern WORD = Pattern.compile("'([^']*)'|(\\S+)");
    /** The end of a command line: two spaces before a remark, or a sign of the shell. */
    private static final Pattern END = Pattern.compile("  | [|&;#>]|\\)([ ']|$)| \\(| ?\\.\\.\\.");

    /** Words that only look like a command line: a rule's comment, a chain, titles of pages, the form of all lines. */
    private static final Pattern OTHER = Pattern.compile("nodepath (pods|pod-masquerade|flagz|statusz|COMMAND).*");

    /** Fails as picocli does for a command line that is not possible. */
    static void parse(String line) {
        String command = END.splitAsStream(line.substring(line.indexOf("nodepath")))
                .findFirst()
                .orElseThrow();
        // A message ends with a number of the run.
        command += command.endsWith("=") ? "1" : "";
        List<String> words = new ArrayList<>();
        Matcher word = WORD.matcher(command);
        while (word.find()) {
            words.add(word.group(1) == null ? word.group(2) : word.group(1));
        }
        NODEPATH.parseArgs(words.subList(1, words.size()).toArray(String[]::new));
    }

    private static List<Path> files(String pattern) throws IOException {
        try (Stream<Path> all = Files.walk(HOME)) {
            return all.filter(Files::isRegularFile)
                    .filter(file -> !file.toString().contains("/target/")
                            && !file.toString().contains("/.git/"))
                    .filter(file -> HOME.relativize(file).toString().matches(pattern))
                    .sorted()
                    .toList();
        }
    }

    private static Stream<String> found(Pattern pattern, String text) {
        return pattern.matcher(text)
                .results()
                .map(MatchResult::group)
                .map(hit -> pattern.matcher(hit).replaceFirst("$1").replaceAll("\\s*\\n\\s*", " "));
    }

    private static Stream<String> ofPage(String text) {
        Stream<String> blocks =
                BLOCK.matcher(text).results().map(MatchResult::group).flatMap(block -> found(IN_BLOCK, block));
        return Stream.concat(blocks, found(IN_SENTENCE, BLOCK.matcher(text).replaceAll("")));
    }

    private static Stream<String> ofMessages(String text) {
        String joined = JOINT.matcher(text).replaceAll("");
        return Stream.concat(found(IN_QUOTES, joined), found(IN_LIST, joined));
    }

    private static List<String> impossible(List<Path> files, boolean pages) throws IOException {
        List<String> problems = new ArrayList<>();
        int lines = 0;
        for (Path file : files) {
            String text = Files.readString(file);
            for (String line : (pages ? ofPage(text) : ofMessages(text)).toList()) {
                if (OTHER.matcher(line).matches()) {
                    continue;
                }
                lines++;
                try {
                    parse(line);
                } catch (MissingParameterException e) {
                    // A sentence names a command alone.
                } catch (ParameterException e) {
                    problems.add(file + ": " + line + ": " + e.getMessage());
                }
            }
        }
        assertThat(lines).isGreaterThan(1);
        return problems;
    }

    @Test
    void thoseOfPagesArePossible() throws IOException {
        assertThat(impossible(files("README\\.md|docs/.*\\.md|[a-z-]+/README\\.md"), true))
                .isEmpty();
    }

    @Test
    void thoseOfMessagesAndHelpArePossible() throws IOException {
        assertThat(impossible(files("[a-z-]+/src/main/java/.*\\.java"), false)).isEmpty();
    }

    @Test
    void thoseOfTheLivePageAndOfScriptsArePossible() throws IOException {
        assertThat(impossible(files("[a-z-]+/src/main/resources/.*\\.(js|html)|scripts/.*"), false))
                .isEmpty();
    }
}
