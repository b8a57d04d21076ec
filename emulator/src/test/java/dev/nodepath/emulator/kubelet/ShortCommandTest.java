package dev.nodepath.emulator.kubelet;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.net.InetAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

@Timeout(900)
class ShortCommandTest {
    /** Longer than the tests may take. */
    private static final String LONG = "sleep 300";

    @TempDir
    private Path folder;

    @Test
    void endsWhatACommandHasStartedAtTheLimit() {
        ProcessBuilder command = new ProcessBuilder("sh", "-c", LONG + "; true");
        assertThatThrownBy(() -> ShortCommand.run(command, "", Duration.ofMillis(300)))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("no end within");
    }

    @ParameterizedTest
    @CsvSource({"exit 3, 600, 'exit code 3'", "sleep 300, 1, 'no end within 1 s'"})
    void aProcessLeftBehindHoldsUpNobody(String end, int limitSeconds, String expected) throws Exception {
        Path left = Files.createFile(folder.resolve("left"));
        ProcessBuilder command = new ProcessBuilder("sh", "-c", "(" + LONG + " & echo $! >'" + left + "'); " + end);
        try {
            assertThat(outcome(command, Duration.ofSeconds(limitSeconds))).isEqualTo(expected);
        } finally {
            for (String pid : Files.readAllLines(left)) {
                ProcessHandle.of(Long.parseLong(pid)).ifPresent(ProcessHandle::destroy);
            }
        }
    }

    private static String outcome(ProcessBuilder command, Duration limit) throws InterruptedException {
        try {
            return "exit code " + ShortCommand.run(command, "", limit).exitCode();
        } catch (IOException e) {
            return String.valueOf(e.getMessage()).replaceFirst(".*: ", "");
        }
    }

    /** More than a pipe holds, and more than a short command's output may be. */
    @Test
    void aProbeMayWriteWhatItLikes() throws IOException {
        Path enter = Files.writeString(folder.resolve("enter"), "#!/bin/sh\nexec \"$@\"\n");
        Files.setPosixFilePermissions(enter, PosixFilePermissions.fromString("rwxr-xr-x"));
        ProbeSpec.Exec talkative =
                new ProbeSpec.Exec(List.of("sh", "-c", "head -c 1000000 /dev/zero; head -c 1000000 /dev/zero >&2"));
        assertThat(Prober.problem(talkative, InetAddress.getLoopbackAddress(), enter, Duration.ofSeconds(10)))
                .isEmpty();
    }
}
