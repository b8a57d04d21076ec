package dev.nodepath.agent.process;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ProcessLaunchTest {
    @ParameterizedTest
    @CsvSource({"17, true", "24, true", "25, false", "26, false"})
    void noVersionThatWarnsOfVforkIsAskedForIt(int javaVersion, boolean asked) {
        assertThat(ProcessLaunch.isQuiet(javaVersion)).isEqualTo(asked);
    }
}
