package dev.nodepath.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine;
import picocli.CommandLine.ParseResult;

class KubectlCommandTest {
    @ParameterizedTest
    @ValueSource(
            strings = {
                "get --help",
                "get pods -h",
                "-n shop get pods -o wide",
                "--namespace=shop logs web-1 --version",
                "exec web-1 -- ls -l --help",
                "version",
                "help get",
            })
    void leavesTheArgumentsAsTheyAre(String line) {
        ParseResult parsed = parse(line);
        assertThat(parsed.isUsageHelpRequested()).isFalse();
        assertThat(parsed.isVersionHelpRequested()).isFalse();
        assertThat(parsed.matchedPositionalValue(0, List.<String>of())).isEqualTo(List.of(line.split(" ", -1)));
    }

    @ParameterizedTest
    @ValueSource(strings = {"--help", "-h"})
    void aFirstHelpIsOurs(String line) {
        assertThat(parse(line).isUsageHelpRequested()).isTrue();
    }

    private static ParseResult parse(String line) {
        return new CommandLine(new KubectlCommand()).parseArgs(line.split(" ", -1));
    }
}
