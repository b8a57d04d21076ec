package dev.nodepath.page.http;

import dev.nodepath.page.FlowList;
import dev.nodepath.page.LivePage;
import dev.nodepath.page.SamplePicture;
import io.netty.handler.codec.http.HttpServerCodec;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The server ends and another takes its port: the browser reconnects by itself and asks for the missed events. */
class ReconnectInBrowserTest extends BrowserTest {
    private final LivePage page = new LivePage(InstantSource.system());
    private final PageServer first = server();

    @Override
    PageServer serve(Path folder) {
        return first;
    }

    @Test
    void showsWhatHasHappenedDuringABreak() throws Exception {
        page.show(SamplePicture.small());
        load("");
        await("document.getElementById('link').dataset.state === 'live'");

        first.close();
        await("document.getElementById('link').dataset.state === 'lost'");
        page.show(SamplePicture.of(List.of(SamplePicture.pod("web-7", "n1", 0, "10.244.1.7", true))));
        page.tell("step", step("pod", "web-7", "was created meanwhile"));

        try (PageServer second = server()) {
            second.listen(new InetSocketAddress(
                    InetAddress.getLoopbackAddress(), address().getPort()));

            await("document.getElementById('link').dataset.state === 'live'");
            await("document.querySelector('.pod .name').textContent === 'web-7'");
            await("document.getElementById('time').textContent.includes('was created meanwhile')");
        }
    }

    @Test
    void saysWhatToOpenWhenAnotherClusterHasComeToTheAddress() throws Exception {
        page.show(SamplePicture.small());
        PageServer before = server();
        URI there = listen(before);
        chromium.open(there.resolve("/?token=" + SECRET.value()));
        await("document.getElementById('link').dataset.state === 'live'");
        before.close();

        try (PageServer after = server(new PageToken("another"))) {
            after.listen(new InetSocketAddress(InetAddress.getLoopbackAddress(), there.getPort()));

            await("document.getElementById('link-text').textContent.startsWith('open the address')");
        }
    }

    private PageServer server() {
        return server(SECRET);
    }

    private PageServer server(PageToken token) {
        return new PageServer(
                page,
                (name, what) -> {
                    throw new AssertionError("nobody acts");
                },
                () -> new FlowList(1, 0, List.of()),
                token,
                HttpServerCodec::new);
    }
}
