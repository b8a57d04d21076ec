package dev.nodepath.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The lists of the classes that are in the archives with which JVMs of Nodepath start. */
class ClassListTest {
    private static final Path HOME = Path.of(System.getProperty("nodepath.home", ".."));
    private static final double KNOWN_MIN = 0.9;

    /** A class that has another name by now is loaded from its jar: few of them cost nothing that a user sees. */
    @ParameterizedTest
    @CsvSource({
        "cli/src/main/cds/nodepath.classes, 500, archive-nodepath",
        "cli/src/main/cds/nodepath-agent.classes, 500, archive-nodepath",
        "cni-bridge/src/main/cds/nodepath-bridge.classes, 200, archive"
    })
    void isNotTooOld(Path list, int oursMin, String script) throws IOException {
        try (Stream<String> lines = Files.lines(HOME.resolve(list))) {
            List<String> ours =
                    lines.filter(line -> line.startsWith("dev/nodepath/")).toList();
            List<String> unknown = ours.stream()
                    .filter(name -> ClassListTest.class.getResource("/" + name + ".class") == null)
                    .toList();
            assertThat(ours).hasSizeGreaterThan(oursMin);
            assertThat((double) unknown.size() / ours.size())
                    .as("classes that are no more; scripts/%s --list makes the list anew: %s", script, unknown)
                    .isLessThan(1 - KNOWN_MIN);
        }
    }
}
