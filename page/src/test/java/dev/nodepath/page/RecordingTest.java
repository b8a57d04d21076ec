package dev.nodepath.page;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class RecordingTest {
    private final LivePage page = new LivePage(InstantSource.system());

    @Test
    void isReadAsItWasWritten() throws Exception {
        live();

        Recording recording = page.recording();

        assertThat(recording.events())
                .extracting(each -> each.event().kind())
                .containsExactly("step", "pod", "pod", "step");
        assertThat(RecordingReader.read(bytes(recording.text()))).isEqualTo(recording);
    }

    @Test
    void startsWithTheFirstPictureAndNotWithNothing() throws Exception {
        live();

        assertThat(json(page.recording().state()).path("pods")).hasSize(3);
    }

    /** The history stays bounded for ever, and each moment of it follows from the state at its start. */
    @Test
    void forgetsTheOldestAndGoesOnFromALaterState() throws Exception {
        page.show(SamplePicture.small());
        for (int i = 0; i < 5 * FlightRecorder.EVENTS_MAX; i++) {
            page.tell("step", step(i));
        }

        Recording recording = page.recording();

        assertThat(recording.events()).hasSizeBetween(FlightRecorder.EVENTS_MAX, 2 * FlightRecorder.EVENTS_MAX);
        int before = last(json(recording.state()).path("news")).path("n").asInt();
        for (RecordedEvent event : recording.events()) {
            assertThat(json(event.event().json()).path("n").asInt()).isEqualTo(++before);
        }
        assertThat(before).isEqualTo(5 * FlightRecorder.EVENTS_MAX - 1);
        assertThat(RecordingReader.read(bytes(recording.text()))).isEqualTo(recording);
    }

    @Test
    void isBoundedInBytesToo() throws Exception {
        page.show(SamplePicture.small());
        String filling = "x".repeat(10_000);
        for (int i = 0; i < 1000; i++) {
            page.tell("step", step(i).put("filling", filling));
        }

        assertThat(page.recording().text().length()).isLessThan(4 * FlightRecorder.CHARACTERS_MAX);
    }

    @Test
    void keepsAFewProbesAmongTheNews() throws Exception {
        for (int i = 0; i < 20; i++) {
            page.tell(LivePage.PROBE, JsonNodeFactory.instance.objectNode().put("n", i));
            page.tell("step", step(i));
        }

        JsonNode news = json(page.snapshot().json()).path("news");
        assertThat(news.findValuesAsText("kind")).filteredOn("probe"::equals).hasSize(8);
        assertThat(news.findValuesAsText("kind")).filteredOn("step"::equals).hasSize(20);
    }

    @Test
    void namesTheLineThatIsWrong() throws Exception {
        live();
        String text = page.recording().text();
        List<String> lines = text.lines().toList();

        refuses("", "line 1: no JSON");
        refuses("hello\n", "line 1: no JSON (expected: an object on each line of a recording)");
        refuses("\u007fELF\u0000", "line 1: no JSON");
        refuses("{\"a\":1}", "line 1: format: missing (expected: \"nodepath-page\", as the first line of a recording)");
        refuses(text.replaceFirst("\"version\":3,", "\"version\":2,"), "line 1: version: 2 (expected: 3)");
        refuses(text.replaceFirst("\"ready\":true", "\"ready\":\"maybe\""), "line 1: state.nodes[0].ready: ");
        refuses(text.replaceFirst("\"pods\":", "\"cats\":"), "line 1: state.pods: Missing creator property 'pods'");
        refuses(lines.get(0), "line 2: the file ends after 0 events (expected: 4, as the first line says)");
        refuses(text.substring(0, text.length() - 20), "line 5: no JSON");
        refuses(text + lines.get(4), "line 6: one more event (expected: 4 events, as the first line says)");
        refuses(text.replace(lines.get(2), "[]"), "line 3: no JSON object");
        refuses(text.replace(lines.get(2), lines.get(1)), "line 3: version: ");
        refuses(text.replace("\"kind\":\"pod\"", "\"kind\":7"), "line 3: kind: 7 (expected: a word such as \"pod\")");
        refuses(
                text.replaceFirst("\"at\":(\\d+),\"data\"", "\"at\":5,\"data\""),
                "line 2: at: 5 (expected: a whole number >= ");
        refuses(
                text.replaceFirst("\"data\":\\{\"layer\"", "\"data\":{\"liar\""),
                "line 2: layer: missing (expected: a text)");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "\"steps\":[] | \"steps\":[null] | steps: [null] (expected: a list of objects)",
                "\"differences\":[] | \"differences\":[5] | differences: [5] (expected: a list of texts)",
                "\"wire\":[] | \"wire\":7 | wire: 7 (expected: a list)",
                "\"kernel\":[] | \"kernel\":[[]] | kernel: [[]] (expected: a list of objects)"
            })
    void refusesAProbeThatThePageCannotShow(String part, String other, String why) throws Exception {
        page.show(SamplePicture.small());
        page.tell(LivePage.PROBE, (ObjectNode) json("""
                {"expected":[],"steps":[],"differences":[],
                "observed":{"conntrack":[],"kernel":[],"wire":[],"notes":[]}}"""));
        String text = page.recording().text();

        assertThat(RecordingReader.read(bytes(text)).events()).hasSize(1);
        refuses(text.replace(part, other), why);
    }

    @Test
    void doesNotReadAFileWithoutAnEnd(@TempDir Path folder) throws Exception {
        Path file = folder.resolve("huge");
        try (OutputStream stream = Files.newOutputStream(file)) {
            stream.write(new byte[RecordingReader.BYTES_MAX + 1]);
        }

        assertThatThrownBy(() -> RecordingReader.read(file)).hasMessageStartingWith("it has more than 16777216 bytes");
        assertThatThrownBy(() -> RecordingReader.read(Path.of("/dev/zero"))).isInstanceOf(RecordingException.class);
        assertThatThrownBy(() -> RecordingReader.read(folder)).isInstanceOf(IOException.class);
    }

    private static void refuses(String text, String why) {
        assertThatThrownBy(() -> RecordingReader.read(bytes(text)))
                .isInstanceOf(RecordingException.class)
                .hasMessageContaining(why);
    }

    private void live() {
        Picture first = SamplePicture.small();
        page.show(first);
        page.tell("step", step(0));
        List<PicturedPod> one = first.pods().subList(1, 2);
        page.show(new Picture(first.mode(), first.client(), first.nodes(), one, first.services()));
        page.tell("step", step(1));
    }

    private static ObjectNode step(int number) {
        return JsonNodeFactory.instance
                .objectNode()
                .put("layer", "you")
                .put("where", "web-1")
                .put("what", "set ready")
                .put("n", number);
    }

    private static JsonNode last(JsonNode list) {
        return list.path(list.size() - 1);
    }

    private static JsonNode json(String text) throws IOException {
        return new ObjectMapper().readTree(text);
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }
}
