package dev.nodepath.report.form;

import static org.assertj.core.api.Assertions.assertThat;

import dev.nodepath.report.Report;
import dev.nodepath.report.SampleReport;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Base64;
import java.util.Objects;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The page as a browser draws it. Its pictures are left in {@code target/pages} for a person to look at. */
@Tag("browser")
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class ReportPageTest {
    private static final Path PICTURES = Path.of("target", "pages");

    private Chromium chromium;
    private Path page;

    @BeforeAll
    void start(@TempDir Path folder) throws Exception {
        page = folder.resolve("report.html");
        // Another report's folder, to look at the pages of a real run: -Dnodepath.report=DIR.
        String other = System.getProperty("nodepath.report");
        Report report = other == null ? SampleReport.create() : new ReportFolder(Path.of(other)).read();
        Files.writeString(page, HtmlReport.render(report));
        chromium = new Chromium(folder);
        Files.createDirectories(PICTURES);
    }

    @AfterAll
    void stop() {
        if (chromium != null) {
            chromium.close();
        }
    }

    @ParameterizedTest
    @CsvSource({
        "phone-small, 360, 740, screen, light",
        "phone, 390, 844, screen, light",
        "phone-dark, 390, 844, screen, dark",
        "laptop, 1280, 800, screen, light",
        "laptop-dark, 1280, 800, screen, dark",
        "wide, 1920, 1080, screen, light",
        "wide-dark, 1920, 1080, screen, dark",
        "huge, 2560, 1440, screen, light",
        "paper, 718, 1000, print, dark"
    })
    void isReadable(String name, int width, int height, String media, String scheme) throws Exception {
        chromium.resize(width, height, width < 500 ? 2 : 1);
        chromium.media(media, scheme);
        chromium.open(page.toUri());

        String problems = chromium.evaluate(checks());
        Files.write(PICTURES.resolve(name + ".png"), Base64.getDecoder().decode(chromium.screenshot()));

        assertThat(problems).isEmpty();
        chromium.evaluate("document.querySelectorAll('details').forEach((part) => part.open = true); ''");
        assertThat(chromium.evaluate(checks())).isEmpty();
        assertThat(chromium.errors()).isEmpty();
    }

    @Test
    void isSmall() throws IOException {
        assertThat(Files.size(page)).isLessThan(500_000);
    }

    /** The checks themselves can fail: each kind of damage is found. */
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "document.querySelector('.mark').remove() | marks (expected:",
                "document.querySelector('svg text').setAttribute('x', 900) | reaches out of its",
                "document.querySelector('.charts svg .end').setAttribute('x', 300) | overlaps",
                "document.querySelector('p').style.color = '#888' | contrast",
                "document.querySelector('h1').style.width = '5000px' | wide (expected:"
            })
    void findsDamage(String damage, String found) throws Exception {
        chromium.resize(1280, 800, 1);
        chromium.media("screen", "light");
        chromium.open(page.toUri());

        chromium.evaluate(damage + "; ''");

        assertThat(chromium.evaluate(checks())).contains(found);
    }

    private static String checks() throws IOException {
        try (InputStream script = Objects.requireNonNull(ReportPageTest.class.getResourceAsStream("page-checks.js"))) {
            return new String(script.readAllBytes(), StandardCharsets.UTF_8);
        }
    }
}
