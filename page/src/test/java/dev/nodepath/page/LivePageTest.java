package dev.nodepath.page;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class LivePageTest {
    private final LivePage page = new LivePage(InstantSource.fixed(Instant.ofEpochMilli(1000)));

    @Test
    void tellsNothingWhenNothingChanges() {
        Picture picture = SamplePicture.small();
        page.show(picture);
        AtomicInteger calls = new AtomicInteger();
        page.listen(calls::incrementAndGet);
        long version = page.snapshot().version();

        page.show(new Picture(picture.mode(), picture.client(), picture.nodes(), picture.pods(), picture.services()));

        assertThat(page.snapshot().version()).isEqualTo(version);
        assertThat(calls).hasValue(0);
    }

    @Test
    void tellsOnlyThePartThatChanged() throws Exception {
        Picture before = SamplePicture.small();
        page.show(before);
        long version = page.snapshot().version();
        List<PicturedPod> pods = List.of(
                before.pods().get(0),
                SamplePicture.pod("web-1", "n1", 1, "10.244.1.3", false),
                before.pods().get(2));

        page.show(new Picture(before.mode(), before.client(), before.nodes(), pods, before.services()));

        List<PageEvent> events = page.after(version, 10).orElseThrow();
        assertThat(events).singleElement().satisfies(event -> {
            assertThat(event.kind()).isEqualTo("pod");
            JsonNode json = new ObjectMapper().readTree(event.json());
            assertThat(json.at("/part/ready").asBoolean(true)).isFalse();
            assertThat(json.at("/part/id").asText()).isEqualTo("web-1");
        });
    }

    @Test
    void namesItsVersionInTheSnapshot() throws Exception {
        page.show(SamplePicture.small());
        page.tell("step", JsonNodeFactory.instance.objectNode().put("what", "a change"));

        JsonNode state = new ObjectMapper().readTree(page.snapshot().json());

        assertThat(state.path("version").asLong()).isEqualTo(page.snapshot().version());
        assertThat(state.at("/news/0/what").asText()).isEqualTo("a change");
        assertThat(state.at("/nodes/1/sync/durationMs").asInt()).isEqualTo(18);
    }

    /** Line ends would end an event of the stream. */
    @Test
    void writesNamesWithLineEndsOnOneLine() {
        page.show(SamplePicture.of(List.of(SamplePicture.pod("web-\n\n<script>\u2028", "n1", 0, "10.244.1.2", true))));

        assertThat(page.snapshot().json()).doesNotContain("\n");
    }
}
