package dev.nodepath.endpoints;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.Instant;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

class ChangeSetTest {
    private static final ServicePortName A = Snapshots.portName("default/a");
    private static final ServicePortName B = Snapshots.portName("default/b");
    private static final Instant NOON = Instant.parse("2026-01-01T12:00:00Z");

    @Test
    void joinsChangesInTheirOrder() {
        ChangeSet joined = change(A, NOON).and(change(B, NOON.plusSeconds(1))).and(change(A, NOON.minusSeconds(1)));

        assertThat(joined.servicePorts()).containsExactly(A, B);
        assertThat(joined.triggers())
                .isEqualTo(Map.of(
                        A.service(), List.of(NOON, NOON.minusSeconds(1)), B.service(), List.of(NOON.plusSeconds(1))));
        assertThat(joined.serviceChanges()).isEqualTo(3);
        assertThat(joined.endpointChanges()).isEqualTo(6);
        assertThat(joined.lastTrigger()).contains(NOON.plusSeconds(1));
        assertThat(joined.and(ChangeSet.NONE)).isEqualTo(joined);
        assertThat(ChangeSet.NONE.and(joined)).isEqualTo(joined);
    }

    @Test
    void measuresFromEveryTriggerThatIsLaterThanTheStart() {
        ChangeSet change = change(A, NOON).and(change(A, NOON.plusMillis(250))).and(change(B, NOON.plusMillis(500)));

        assertThat(change.programmingDurations(NOON, NOON.plusSeconds(1)))
                .containsExactly(Duration.ofMillis(750), Duration.ofMillis(500));
    }

    @Test
    void keepsTheOldestTriggersWhileChangesWait() {
        ChangeSet many = ChangeSet.NONE;
        for (int i = 0; i <= ChangeSet.MAX_TRIGGERS; i++) {
            many = many.and(change(A, NOON.plusSeconds(i)));
        }

        assertThat(many.triggers().get(A.service()))
                .hasSize(ChangeSet.MAX_TRIGGERS)
                .startsWith(NOON);
        List<Instant> times = Collections.nCopies(ChangeSet.MAX_TRIGGERS, NOON);
        ChangeSet full =
                new ChangeSet(new TreeSet<>(List.of(A)), false, new TreeMap<>(Map.of(A.service(), times)), 0, 0);
        assertThat(change(A, NOON).and(full).triggers().get(A.service())).hasSize(ChangeSet.MAX_TRIGGERS);
    }

    private static ChangeSet change(ServicePortName name, Instant trigger) {
        return new ChangeSet(
                new TreeSet<>(List.of(name)), false, new TreeMap<>(Map.of(name.service(), List.of(trigger))), 1, 2);
    }
}
