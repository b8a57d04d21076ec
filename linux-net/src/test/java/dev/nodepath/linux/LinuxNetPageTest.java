package dev.nodepath.linux;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The programs of docs/linux-net.md print the output on the page. */
@Tag("netns")
class LinuxNetPageTest {
    private static final Path PAGE = Path.of(System.getProperty("nodepath.home", ".."), "docs/linux-net.md");

    /** A program, and the next block with its output. A block between them has the command that starts it. */
    private static final Pattern PROGRAM =
            Pattern.compile("```java\n(.*?public class (\\w+).*?)```.*?prints:\n\n```\n(.*?)```", Pattern.DOTALL);

    @TempDir
    private Path folder;

    record Program(String name, String source, String output) {
        @Override
        public String toString() {
            return name;
        }
    }

    static List<Program> programs() throws IOException {
        List<Program> programs = PROGRAM.matcher(Files.readString(PAGE))
                .results()
                .map(LinuxNetPageTest::program)
                .toList();
        assertThat(programs).hasSize(2);
        return programs;
    }

    private static Program program(MatchResult found) {
        return new Program(found.group(2), found.group(1), found.group(3));
    }

    @ParameterizedTest
    @MethodSource("programs")
    void printsWhatThePageSays(Program program) throws Exception {
        Path file = folder.resolve(program.name() + ".java");
        Files.writeString(file, program.source());
        Path errors = folder.resolve("errors");

        Process process = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "--enable-native-access=ALL-UNNAMED",
                        "-cp",
                        System.getProperty("java.class.path"),
                        file.toString())
                .redirectError(errors.toFile())
                .start();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);

        assertThat(process.waitFor()).as(Files.readString(errors)).isZero();
        assertThat(output).isEqualTo(program.output());
    }
}
