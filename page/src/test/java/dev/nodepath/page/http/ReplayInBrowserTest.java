package dev.nodepath.page.http;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.nodepath.page.LivePage;
import dev.nodepath.page.PicturedPod;
import dev.nodepath.page.Recording;
import dev.nodepath.page.RecordingReader;
import dev.nodepath.page.SamplePicture;
import io.netty.handler.codec.http.HttpServerCodec;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** A recording as a browser shows it: saved from a live page, read from a file, and played. */
class ReplayInBrowserTest extends BrowserTest {
    private static final long START = 1_790_000_000_000L;

    private final AtomicLong time = new AtomicLong(START);
    private final LivePage live = new LivePage(() -> Instant.ofEpochMilli(time.get()));

    /** At 0 s two web pods, at 10 s one is not ready, at 20 s a reader sends a packet, at 30 s there is a third pod. */
    @Override
    PageServer serve(Path folder) throws Exception {
        live.show(SamplePicture.small());
        time.set(START + 10_000);
        live.tell("step", step("you", "web-1", "set not ready"));
        live.show(pods(web1(false), web2()));
        time.set(START + 20_000);
        live.tell(LivePage.PROBE, (ObjectNode) json("probe.json"));
        time.set(START + 30_000);
        live.show(pods(web1(false), web2(), SamplePicture.pod("web-3", "n2", 1, "10.244.2.3", true)));
        time.set(START + 40_000);

        Path file = folder.resolve("recording.jsonl");
        save(file);
        return PageServer.replay(RecordingReader.read(file), SECRET, HttpServerCodec::new);
    }

    @BeforeEach
    void open() throws Exception {
        desktop();
        load("");
        await("document.querySelectorAll('.pod').length === 3");
    }

    @Test
    void saysThatItIsARecordingAndOfWhen() throws Exception {
        assertThat(chromium.evaluate("document.querySelector('#replay').textContent"))
                .contains("Recording", "2026", "0:00 of 0:40");
        assertThat(chromium.evaluate("document.querySelector('#link-text').textContent"))
                .isEqualTo("recording");
        assertThat(chromium.evaluate("document.title")).contains("recording");
    }

    @Test
    void showsTheSamePictureAsTheLivePageDid() throws Exception {
        chromium.evaluate("goTo(replay.to); ''");

        ObjectNode state =
                (ObjectNode) new ObjectMapper().readTree(live.snapshot().json());
        String shown = chromium.evaluate("JSON.stringify({mode: model.mode, client: model.client,"
                + " nodes: sorted('node'), pods: [...model.pods.values()].sort((a, b) => a.node.localeCompare(b.node) || a.slot - b.slot),"
                + " services: sorted('service'), news: model.news})");
        assertThat(new ObjectMapper().readTree(shown)).isEqualTo(state.without(List.of("version", "at")));
    }

    @Test
    void goesByKeyThereAndBack() throws Exception {
        chromium.evaluate("document.querySelector('#moment').focus(); ''");
        key("#moment", "PageUp");
        await("document.querySelectorAll('.pod').length === 2");
        assertThat(chromium.evaluate("document.querySelector('#moment').getAttribute('aria-valuetext')"))
                .endsWith("0:10 of 0:40");
        assertThat(chromium.evaluate("document.querySelector('#time-line').textContent"))
                .contains("set not ready");

        key("#moment", "ArrowLeft");

        await("document.querySelectorAll('.pod').length === 3");
        await("document.querySelector('#time').hidden");
    }

    @Test
    void goesFromChangeToChange() throws Exception {
        click("#replay-on");
        await("document.querySelectorAll('.pod').length === 2");
        click("#replay-on");
        click("#replay-on");
        await(
                "document.querySelectorAll('.pod').length === 3 && document.querySelector('[data-key=\"pod:web-3\"]') !== null");
        click("#replay-back");
        await("document.querySelectorAll('.pod').length === 2");
    }

    @Test
    void playsAtASpeedAndEnds() throws Exception {
        chromium.evaluate("document.querySelector('#speed').value = '64';"
                + " document.querySelector('#speed').dispatchEvent(new Event('change')); ''");
        click("#replay-play");

        assertThat(chromium.evaluate("document.querySelector('#replay-play').textContent"))
                .isEqualTo("Pause");
        await("document.querySelector('#clock').textContent.endsWith('0:40 of 0:40')");
        await("document.querySelector('#replay-play').textContent === 'Play'");
        await("document.querySelector('[data-key=\"pod:web-3\"]') !== null");
    }

    @Test
    void opensAPacketThatSomebodyHasSent() throws Exception {
        assertThat(chromium.evaluate("String(document.querySelector('#sent').hidden)"))
                .isEqualTo("true");
        chromium.evaluate("goTo(replay.from + 20000); ''");
        await("document.querySelectorAll('#sent-list button').length === 1");

        click("#sent-list button");

        await("document.querySelectorAll('[data-step]').length === 2");
        assertThat(chromium.evaluate("document.querySelector('#result').textContent"))
                .contains("web-1 answered", "-j DNAT --to-destination 10.244.1.3:8080");
        assertThat(chromium.evaluate("document.querySelector('#sent-list button').getAttribute('aria-pressed')"))
                .isEqualTo("true");
    }

    @Test
    void fillsInTheFormWithThePacketThatIsOpened() throws Exception {
        chromium.evaluate("probe.from = 'n2'; probe.to = 'web-1:8080'; goTo(replay.from + 20000); ''");
        await("document.querySelectorAll('#sent-list button').length === 1");
        assertThat(chromium.evaluate("document.querySelector('#sent-list').textContent"))
                .contains("iptables mode");

        click("#sent-list button");

        assertThat(chromium.evaluate(
                        "[...document.querySelectorAll('#probe-from, #probe-to')].map(e => e.value).join()"))
                .isEqualTo("client-1,web:80");
        assertThat(chromium.evaluate("location.hash")).contains("from=client-1", "to=web%3A80");
    }

    @ParameterizedTest
    @ValueSource(strings = {"flows", "compare", "lessons"})
    void hasNoViewThatNeedsACluster(String view) throws Exception {
        load("view=" + view);
        await("document.querySelectorAll('.pod').length === 3");

        assertThat(chromium.evaluate("String(document.querySelector('#as-" + view + "').checkVisibility())"))
                .isEqualTo("false");
        assertThat(chromium.evaluate("document.body.innerText")).doesNotContain("cannot be read", "Compare modes");
        assertThat(chromium.evaluate("String(document.querySelector('#picture').checkVisibility())"))
                .isEqualTo("true");
    }

    @Test
    void sendsAndChangesNothingAndSaysWhy() throws Exception {
        click("[data-key='pod:web-1']");

        assertThat(chromium.evaluate("String(document.querySelector('#go').disabled)"))
                .isEqualTo("true");
        assertThat(chromium.evaluate("document.querySelector('#send').textContent"))
                .contains("This is a recording: nothing can be sent or changed.");
        assertThat(chromium.evaluate("document.querySelectorAll('#about button').length + ''"))
                .isEqualTo("0");
        assertThat(chromium.evaluate("String(document.querySelector('#save').hidden)"))
                .isEqualTo("true");
        HttpRequest stream = HttpRequest.newBuilder(address().resolve("/api/events"))
                .header("authorization", "Bearer " + SECRET.value())
                .build();
        assertThat(HttpClient.newHttpClient()
                        .send(stream, BodyHandlers.ofString())
                        .body())
                .contains("this is a recording");
    }

    @ParameterizedTest
    @CsvSource({"replay-phone, 360, light", "replay, 1280, light", "replay-dark, 1280, dark", "replay-wide, 2560, light"
    })
    void isReadable(String name, int width, String scheme) throws Exception {
        chromium.resize(width, 900, 1);
        chromium.media("screen", scheme);
        chromium.evaluate("goTo(replay.from + 20000); ''");
        await("document.querySelectorAll('#sent-list button').length === 1");

        assertReadable(name);
    }

    /** As a reader who has seen something odd. */
    private void save(Path file) throws Exception {
        try (PageServer server = new PageServer(
                live,
                (name, what) -> JsonNodeFactory.instance.objectNode(),
                () -> {
                    throw new AssertionError("nobody asks for flows");
                },
                SECRET,
                HttpServerCodec::new)) {
            HttpRequest request = HttpRequest.newBuilder(listen(server).resolve("/api/record"))
                    .header("authorization", "Bearer " + SECRET.value())
                    .build();
            assertThat(HttpClient.newHttpClient()
                            .send(request, BodyHandlers.ofFile(file))
                            .statusCode())
                    .isEqualTo(200);
        }
        Recording read = RecordingReader.read(file);
        assertThat(read).isEqualTo(live.recording());
    }

    private static dev.nodepath.page.Picture pods(PicturedPod... pods) {
        return SamplePicture.of(List.of(pods));
    }

    private static PicturedPod web1(boolean ready) {
        return SamplePicture.pod("web-1", "n1", 1, "10.244.1.3", ready);
    }

    private static PicturedPod web2() {
        return SamplePicture.pod("web-2", "n2", 0, "10.244.2.2", true);
    }

    private void key(String selector, String name) throws Exception {
        chromium.evaluate(
                "document.querySelector('" + selector + "').dispatchEvent(new KeyboardEvent('keydown', {key: '" + name
                        + "', bubbles: true, cancelable: true})); ''");
    }
}
