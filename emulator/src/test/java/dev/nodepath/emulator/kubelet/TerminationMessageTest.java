package dev.nodepath.emulator.kubelet;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.ObjectMapper;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class TerminationMessageTest {
    @TempDir
    private Path folder;

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '`', textBlock = """
            File                  | `expired` | 3 | `expired`
            File                  | ``        | 3 | ``
            FallbackToLogsOnError | `expired` | 3 | `expired`
            FallbackToLogsOnError | ``        | 3 | `first words\nlast words\n`
            FallbackToLogsOnError | ``        | 0 | ``
            """)
    void isTheFileOrTheEndOfTheLog(String policy, String written, int exitCode, String expected) throws Exception {
        Path log = Files.writeString(
                folder.resolve("log"), "2026-01-01T00:00:00Z first words\n2026-01-01T00:00:01Z last words\n");
        TerminationMessage message = message("\"terminationMessagePolicy\": \"" + policy + "\"");
        message.begin();
        Files.writeString(message.file(), written);
        assertThat(message.read(exitCode, log)).isEqualTo(expected);
        message.begin();
        assertThat(message.read(0, log)).as("of the next run").isEmpty();
    }

    private TerminationMessage message(String field) throws Exception {
        return new TerminationMessage(
                ContainerSpec.containers(new ObjectMapper()
                                .readTree("{\"spec\": {\"containers\": [{\"name\": \"c\", " + field + "}]}}"))
                        .get(0),
                folder.resolve("words"));
    }
}
