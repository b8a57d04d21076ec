package dev.nodepath.emulator.kubelet;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class TerminalTest {
    @TempDir
    private Path folder;

    @Test
    void takesTheWordsOfACommandAsTheyAre() throws Exception {
        Path attacked = folder.resolve("attacked");
        List<String> words =
                List.of("$(touch @)", "'; touch @; '", "\"; touch @; \"", "x; touch @", "", " ", "-", "a\\b", "*")
                        .stream()
                        .map(word -> word.replace("@", attacked.toString()))
                        .toList();
        List<String> command = new ArrayList<>(List.of("printf", "%s|"));
        command.addAll(words);
        ProcessBuilder builder = Terminal.around(command);
        Path file = Path.of(builder.environment().get("NODEPATH_WORDS"));
        ShortCommand run = ShortCommand.run(builder, "", Duration.ofMinutes(2));
        assertThat(run.output()).isEqualTo(String.join("|", words) + "|");
        assertThat(run.exitCode()).isZero();
        assertThat(attacked).doesNotExist();
        assertThat(Files.exists(file)).isFalse();
    }

    @Test
    void refusesANul() {
        assertThatThrownBy(() -> Terminal.around(List.of("echo", "a\0b")))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("has a NUL");
    }
}
