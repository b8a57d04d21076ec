package dev.nodepath.page.http;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.nodepath.linux.Eventually;
import dev.nodepath.report.form.Chromium;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Base64;
import java.util.Objects;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;

/** A served page in one browser for all tests of a class, and what a reader does with it. */
@Tag("browser")
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
abstract class BrowserTest {
    static final PageToken SECRET = new PageToken("5ecret");
    private static final Path PICTURES = Path.of("target", "pages");

    @SuppressWarnings("NullAway.Init") // lives from @BeforeAll to @AfterAll
    Chromium chromium;

    @SuppressWarnings("NullAway.Init")
    private PageServer server;

    private URI address = URI.create("http://127.0.0.1");

    /** Makes the server, which listens nowhere yet. */
    abstract PageServer serve(Path folder) throws Exception;

    @BeforeAll
    void startBrowser(@TempDir Path folder) throws Exception {
        server = serve(folder);
        address = listen(server);
        chromium = new Chromium(folder);
        Files.createDirectories(PICTURES);
    }

    @AfterAll
    void stopBrowser() {
        if (chromium != null) {
            chromium.close();
        }
        if (server != null) {
            server.close();
        }
    }

    static URI listen(PageServer server) throws Exception {
        int port = server.listen(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))
                .getPort();
        return URI.create("http://127.0.0.1:" + port + "/");
    }

    /** Where the page is, without a token. */
    URI address() {
        return address;
    }

    /** Opens the printed address at this part of the page, with nothing left of what it showed before. */
    void load(String fragment) throws Exception {
        chromium.open(URI.create("about:blank"));
        chromium.open(address.resolve("/?token=" + SECRET.value() + (fragment.isEmpty() ? "" : "#" + fragment)));
    }

    void desktop() throws Exception {
        chromium.resize(1280, 900, 1);
        chromium.media("screen", "light");
    }

    void click(String selector) throws Exception {
        chromium.evaluate("document.querySelector(\"" + selector + "\").click(); ''");
    }

    void await(String condition) {
        Eventually.isTrue(
                condition, () -> chromium.evaluate("String(" + condition + ")").equals("true"));
    }

    /** Keeps a picture of what is shown, and checks overlap, contrast and overflow. */
    void assertReadable(String name) throws Exception {
        String problems = problems();
        Files.write(PICTURES.resolve(name + ".png"), Base64.getDecoder().decode(chromium.screenshot()));
        assertThat(problems).isEmpty();
        assertThat(chromium.errors()).isEmpty();
    }

    String problems() throws Exception {
        return chromium.evaluate(text("page-checks.js"));
    }

    static String text(String resource) {
        try (InputStream stream = Objects.requireNonNull(BrowserTest.class.getResourceAsStream(resource), resource)) {
            return new String(stream.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    static JsonNode json(String resource) {
        try {
            return new ObjectMapper().readTree(text(resource));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
