package dev.nodepath.bench;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The README and the pages of docs: how long lines are, and that links lead somewhere. */
class DocsTest {
    private static final int LINE_MAX = 120;
    private static final int README_LINES_MAX = 100;
    private static final Path HOME = Path.of("..");
    private static final Path RAW_REPORT = Path.of("report.md");
    private static final Pattern LINK = Pattern.compile("]\\(([^)#]+)(?:#[^)]*)?\\)");

    private static List<Path> pages() throws IOException {
        try (Stream<Path> docs = Files.walk(HOME.resolve("docs"))) {
            return Stream.concat(Stream.of(HOME.resolve("README.md")), docs)
                    .filter(page -> page.toString().endsWith(".md"))
                    .sorted()
                    .toList();
        }
    }

    /** Printed text is shown as it is, as each report.md is, and a table's row cannot be broken. */
    @Test
    void linesOfProseAreShort() throws IOException {
        List<String> tooLong = new ArrayList<>();
        for (Path page : pages()) {
            if (page.endsWith(RAW_REPORT)) {
                continue;
            }
            List<String> lines = Files.readAllLines(page);
            boolean printed = false;
            for (int i = 0; i < lines.size(); i++) {
                String line = lines.get(i);
                if (line.strip().startsWith("```")) {
                    printed = !printed;
                }
                if (!printed && !line.startsWith("|") && line.length() > LINE_MAX) {
                    tooLong.add(page + ":" + (i + 1) + ": " + line.length() + " characters");
                }
            }
        }
        assertThat(tooLong).isEmpty();
    }

    @Test
    void theReadmeIsReadInTwoMinutes() throws IOException {
        assertThat(Files.readAllLines(HOME.resolve("README.md"))).hasSizeLessThanOrEqualTo(README_LINES_MAX);
    }

    @Test
    void linksLeadToFilesThatAreThere() throws IOException {
        List<String> dead = new ArrayList<>();
        for (Path page : pages()) {
            List<String> targets = LINK.matcher(Files.readString(page))
                    .results()
                    .map(MatchResult::group)
                    .map(link -> LINK.matcher(link).replaceFirst("$1"))
                    .filter(target -> !target.contains("://"))
                    .toList();
            for (String target : targets) {
                if (!Files.exists(page.resolveSibling(target))) {
                    dead.add(page + ": " + target);
                }
            }
        }
        assertThat(dead).isEmpty();
    }
}
