package dev.nodepath.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The README, the pages beside it and those of docs: the length of their lines, and the targets of their links. */
class DocsTest {
    private static final int LINE_MAX = 120;
    private static final int README_LINES_MAX = 100;
    private static final Path HOME = Path.of("..");
    private static final Path RAW_REPORT = Path.of("report.md");
    private static final Pattern LINK = Pattern.compile("]\\(([^)#]*)(?:#([^)]*))?\\)");
    private static final Pattern HEADING = Pattern.compile("(?m)^#+ (.*)$");

    private static List<Path> pages() throws IOException {
        try (Stream<Path> home = Files.list(HOME);
                Stream<Path> docs = Files.walk(HOME.resolve("docs"))) {
            return Stream.concat(home, docs)
                    .filter(page -> page.toString().endsWith(".md"))
                    .sorted()
                    .toList();
        }
    }

    /** Printed text is shown unchanged, each report.md too, and a table's row cannot be broken. */
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
    void linksLeadToFilesAndHeadingsThatAreThere() throws IOException {
        List<String> dead = new ArrayList<>();
        for (Path page : pages()) {
            for (MatchResult link :
                    LINK.matcher(Files.readString(page)).results().toList()) {
                String file = link.group(1);
                if (file.contains("://")) {
                    continue;
                }
                Path target = file.isEmpty() ? page : page.resolveSibling(file);
                String heading = link.group(2);
                if (!Files.exists(target)
                        || (heading != null && !anchors(target).contains(heading))) {
                    dead.add(page + ": " + link.group());
                }
            }
        }
        assertThat(dead).isEmpty();
    }

    /** The anchors of a page's headings, as GitHub makes them. */
    private static Set<String> anchors(Path page) throws IOException {
        return HEADING.matcher(Files.readString(page))
                .results()
                .map(heading -> heading.group(1).toLowerCase(Locale.ROOT))
                .map(heading -> heading.replaceAll("[^\\p{L}\\p{N} _-]", "").replace(' ', '-'))
                .collect(Collectors.toSet());
    }

    @Test
    void theIndexListsEveryPage() throws IOException {
        Path docs = HOME.resolve("docs");
        Set<Path> listed = LINK.matcher(Files.readString(docs.resolve("README.md")))
                .results()
                .map(link -> docs.resolve(link.group(1)))
                .collect(Collectors.toSet());
        try (Stream<Path> pages = Files.list(docs)) {
            assertThat(pages.filter(page -> page.toString().endsWith(".md"))
                            .filter(page -> !page.endsWith("README.md")))
                    .isNotEmpty()
                    .allSatisfy(page -> assertThat(listed).contains(page));
        }
    }
}
