package dev.nodepath.page.http;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import dev.nodepath.linux.Eventually;
import dev.nodepath.page.LivePage;
import dev.nodepath.page.SamplePicture;
import dev.nodepath.page.flow.FlowList;
import dev.nodepath.report.html.Chromium;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The server ends and another comes to its port: the browser comes again by itself and asks for what it has missed. */
@Tag("browser")
class ReconnectInBrowserTest {
    private static final PageToken SECRET = new PageToken("5ecret");

    private final LivePage page = new LivePage(Clock.systemUTC());

    @Test
    void showsWhatHasHappenedDuringABreak(@TempDir Path folder) throws Exception {
        page.show(SamplePicture.small());
        PageServer first = server();
        InetSocketAddress there = first.listen(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
        try (Chromium chromium = new Chromium(Files.createDirectory(folder.resolve("profile")))) {
            chromium.open(URI.create("http://127.0.0.1:" + there.getPort() + "/#token=" + SECRET.value()));
            await(chromium, "document.getElementById('link').dataset.state === 'live'");

            first.close();
            await(chromium, "document.getElementById('link').dataset.state === 'lost'");
            page.show(SamplePicture.of(List.of(SamplePicture.pod("web-7", "n1", 0, "10.244.1.7", true))));
            page.tell(
                    "step",
                    JsonNodeFactory.instance
                            .objectNode()
                            .put("layer", "pod")
                            .put("where", "web-7")
                            .put("what", "was created meanwhile"));

            try (PageServer second = server()) {
                second.listen(there);

                await(chromium, "document.getElementById('link').dataset.state === 'live'");
                await(chromium, "document.querySelector('.pod .name').textContent === 'web-7'");
                await(chromium, "document.getElementById('time').textContent.includes('was created meanwhile')");
            }
        }
    }

    private PageServer server() {
        return new PageServer(
                page,
                (name, what) -> {
                    throw new AssertionError("nobody acts");
                },
                () -> new FlowList(1, 0, List.of()),
                SECRET);
    }

    private static void await(Chromium chromium, String condition) throws Exception {
        Eventually.isTrue(
                condition, () -> chromium.evaluate("(" + condition + ") + ''").equals("true"));
    }
}
