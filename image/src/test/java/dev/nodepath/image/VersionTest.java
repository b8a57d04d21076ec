package dev.nodepath.image;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The version of the root's pom.xml is the one in documents and manifests. */
class VersionTest {
    private static final Pattern IMAGE = Pattern.compile("nodepath:(\\d[\\w.-]*)");
    private static final Pattern ARTIFACT =
            Pattern.compile("(?s)<groupId>dev\\.nodepath</groupId>.{0,80}?<version>(\\d.*?)<");
    private static final Pattern ARCHIVE = Pattern.compile("nodepath-(\\d+\\.\\d+\\.\\d+)-");
    private static final Pattern INSTALLED = Pattern.compile("/opt/nodepath/(\\d[^/\\s]*)/");
    private static final Pattern CHANGES = Pattern.compile("(?s)^.*?\n## \\[(.*?)\\]");

    record Place(String file, Pattern pattern) {
        @Override
        public String toString() {
            return file;
        }
    }

    static Stream<Place> places() throws IOException {
        List<String> poms;
        try (Stream<Path> modules = Files.list(Home.DIRECTORY)) {
            poms = modules.filter(module -> Files.exists(module.resolve("pom.xml")))
                    .map(module -> module.getFileName() + "/pom.xml")
                    .toList();
        }
        return Stream.concat(
                poms.stream().map(pom -> new Place(pom, ARTIFACT)),
                Stream.of(
                        new Place("scripts/kind/nodepath.yaml", IMAGE),
                        new Place("scripts/kind/remove.yaml", IMAGE),
                        new Place("scripts/kind/sample.yaml", IMAGE),
                        new Place("docs/kind.md", IMAGE),
                        new Place("docs/linux-net.md", ARTIFACT),
                        new Place("docs/install.md", ARCHIVE),
                        new Place("docs/processes.md", INSTALLED),
                        new Place("CHANGELOG.md", CHANGES)));
    }

    @ParameterizedTest
    @MethodSource("places")
    void isTheSame(Place place) throws IOException {
        List<String> versions = place.pattern()
                .matcher(Files.readString(Home.DIRECTORY.resolve(place.file())))
                .results()
                .map(found -> found.group(1))
                .distinct()
                .toList();

        assertThat(versions).containsExactly(Home.VERSION);
    }
}
