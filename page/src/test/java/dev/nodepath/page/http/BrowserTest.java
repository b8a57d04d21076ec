package dev.nodepath.page.http;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
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
import java.util.Comparator;
import java.util.Objects;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolver;
import org.junit.jupiter.api.io.TempDir;

/** A served page of a class in one browser for all classes, and what a reader does with it. */
@Tag("browser")
@ExtendWith(BrowserTest.OfAllClasses.class)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
abstract class BrowserTest {
    /** Gives tests the browser that all classes share. It starts for the first of them, and ends with the test run. */
    static final class OfAllClasses implements ParameterResolver {
        private static final ExtensionContext.Namespace STORE = ExtensionContext.Namespace.create(OfAllClasses.class);

        private record Running(Chromium browser, Path folder) implements AutoCloseable {
            static Running start() {
                try {
                    Path folder = Files.createTempDirectory("browser");
                    return new Running(new Chromium(folder), folder);
                } catch (Exception e) {
                    throw new IllegalStateException(e);
                }
            }

            @Override
            public void close() throws IOException {
                browser.close();
                try (Stream<Path> files = Files.walk(folder)) {
                    for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
                        Files.delete(file);
                    }
                }
            }
        }

        @Override
        public boolean supportsParameter(ParameterContext parameter, ExtensionContext context) {
            return parameter.getParameter().getType() == Chromium.class;
        }

        @Override
        public Chromium resolveParameter(ParameterContext parameter, ExtensionContext context) {
            return context.getRoot()
                    .getStore(STORE)
                    .getOrComputeIfAbsent(Running.class, key -> Running.start(), Running.class)
                    .browser();
        }
    }

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
    void startPage(@TempDir Path folder, Chromium browser) throws Exception {
        chromium = browser;
        chromium.open(URI.create("about:blank"));
        chromium.forgetErrors();
        server = serve(folder);
        address = listen(server);
        Files.createDirectories(PICTURES);
    }

    @AfterAll
    void stopPage() {
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

    /**
     * Opens the printed address at this part of the page, with nothing left of what it showed before: the page's own
     * address has no token, so this one is another. A blank page between them would be a process of its own, and the
     * page after it one more.
     */
    void load(String fragment) throws Exception {
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

    /** Saves a picture of the page, and checks overlap, contrast and overflow. */
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

    /** A step of the time line. */
    static ObjectNode step(String layer, String where, String what) {
        return JsonNodeFactory.instance
                .objectNode()
                .put("layer", layer)
                .put("where", where)
                .put("what", what);
    }

    static JsonNode json(String resource) {
        try {
            return new ObjectMapper().readTree(text(resource));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
