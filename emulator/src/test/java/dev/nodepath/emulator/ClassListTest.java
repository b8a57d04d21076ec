package dev.nodepath.emulator;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The list of the classes that are in the archive with which JVMs of Nodepath start. */
class ClassListTest {
    private static final Path LIST =
            Path.of(System.getProperty("nodepath.home", ".."), "emulator/src/main/cds/nodepath.classes");
    private static final double KNOWN_MIN = 0.9;

    /** A class that has another name by now is loaded from its jar: few of them cost nothing that a user sees. */
    @Test
    void isNotTooOld() throws IOException {
        try (Stream<String> lines = Files.lines(LIST)) {
            List<String> ours =
                    lines.filter(line -> line.startsWith("dev/nodepath/")).toList();
            List<String> unknown = ours.stream()
                    .filter(name -> ClassListTest.class.getResource("/" + name + ".class") == null)
                    .toList();
            assertThat(ours).hasSizeGreaterThan(500);
            assertThat((double) unknown.size() / ours.size())
                    .as("classes that are no more; scripts/archive-nodepath --list makes the list anew: %s", unknown)
                    .isLessThan(1 - KNOWN_MIN);
        }
    }
}
