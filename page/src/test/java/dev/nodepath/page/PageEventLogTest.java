package dev.nodepath.page;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class PageEventLogTest {
    private final PageEventLog log = new PageEventLog(100, 3);

    @Test
    void goesOnAfterTheVersionThatAReaderHas() {
        add(3);

        assertThat(versions(101)).contains(List.of(102L, 103L));
        assertThat(versions(103)).contains(List.of());
    }

    @Test
    void saysWhenAReaderIsTooFarBehind() {
        add(5);

        assertThat(versions(102)).contains(List.of(103L, 104L, 105L));
        assertThat(versions(101)).isEmpty();
    }

    @Test
    void doesNotKnowVersionsOfAnotherLog() {
        add(1);

        assertThat(versions(99)).isEmpty();
        assertThat(versions(102)).isEmpty();
        assertThat(versions(-1)).isEmpty();
    }

    @Test
    void givesNoMoreAtOnceThanAsked() {
        add(3);

        assertThat(log.after(100, 2).orElseThrow()).hasSize(2);
    }

    @Test
    void writesAFrameOfTheStream() {
        assertThat(new String(new PageEvent(7, "pod", "{\"id\":\"web\"}").frame(), StandardCharsets.UTF_8))
                .isEqualTo("id: 7\nevent: pod\ndata: {\"id\":\"web\"}\n\n");
    }

    private void add(int count) {
        for (int i = 0; i < count; i++) {
            log.add("pod", "{}");
        }
    }

    private Optional<List<Long>> versions(long known) {
        return log.after(known, 10)
                .map(events -> events.stream().map(PageEvent::version).toList());
    }
}
