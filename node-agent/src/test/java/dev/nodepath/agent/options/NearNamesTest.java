package dev.nodepath.agent.options;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class NearNamesTest {
    private static final List<String> KNOWN =
            List.of("up", "down", "status", "compare", "completion", "--mode", "--master", "-o");

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            statsu   | status
            Status   | status
            sttaus   | status
            stat     | status
            comp     | compare or completion
            compair  | compare
            upp      | up
            pu       | up
            dwn      | down
            mode     | --mode
            --mdoe   | --mode
            -master  | --master
            frob     | ''
            x        | ''
            --       | ''
            list     | ''
            """)
    void findsWhatIsMeant(String typed, String near) {
        assertThat(NearNames.hint(typed, KNOWN)).isEqualTo(near.isEmpty() ? "" : "; did you mean " + near + "?");
    }
}
