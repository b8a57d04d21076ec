package dev.nodepath.linux.iptables;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class SubprocessTest {
    private static final Duration LIMIT = Duration.ofMinutes(5);

    @Test
    void feedsAndReadsMoreThanAPipeHolds() throws IOException {
        String input = "0123456789abcdef\n".repeat(100_000);
        Subprocess.Result<String> result =
                Subprocess.run(List.of("sh", "-c", "tee /dev/stderr"), Stream.of(input), LIMIT, Subprocess::whole);
        assertThat(result.output()).isEqualTo(input);
        assertThat(result.errors()).isEqualTo(input.substring(0, 64 << 10));
        assertThat(result.exitCode()).isZero();
    }

    @Test
    void tellsExitCodeAndErrorsOfACommandThatDoesNotReadItsInput() throws IOException {
        Subprocess.Result<String> result = Subprocess.run(
                List.of("sh", "-c", "echo broken >&2; exit 3"),
                Stream.of("x".repeat(1 << 20)),
                LIMIT,
                Subprocess::whole);
        assertThat(result).isEqualTo(new Subprocess.Result<>(3, "", "broken\n"));
    }

    @Test
    void failsIfTheInputEndsHalfWay() {
        Stream<String> broken = Stream.of("a", "b").peek(piece -> {
            if (piece.equals("b")) {
                throw new IllegalStateException("no b");
            }
        });
        assertThatThrownBy(() -> Subprocess.run(List.of("cat"), broken, LIMIT, Subprocess::whole))
                .isInstanceOf(IOException.class)
                .hasMessage("input could not be made")
                .hasRootCauseMessage("no b");
    }

    @Test
    void killsACommandThatDoesNotEnd() {
        assertThatThrownBy(() -> Subprocess.run(
                        List.of("sleep", "1000"), Stream.empty(), Duration.ofMillis(50), Subprocess::whole))
                .isInstanceOf(IOException.class)
                .hasMessage("not done after 50 ms");
    }
}
