package dev.nodepath.agent.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import dev.nodepath.endpoints.ChangeSet;
import dev.nodepath.endpoints.NamespacedName;
import dev.nodepath.endpoints.ServiceSnapshot;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

class ClusterViewTest {
    private static final Instant NOON = Instant.parse("2026-11-22T12:00:00Z");

    private final ClusterView cluster = new ClusterView("n1");
    private final List<ChangeSet> heard = new ArrayList<>();

    /** A waiter for a sync of this change would wait for ever. */
    @Test
    void tellsAPartThatComesLateWhenTheLastChangeWas() {
        changed(Map.of("web", List.of(NOON, NOON.plusSeconds(2)), "dns", List.of(NOON.plusSeconds(1))));
        changed(Map.of("dns", List.of(NOON)));
        changed(Map.of());

        cluster.subscribe((snapshot, changed) -> heard.add(changed));

        assertThat(heard).hasSize(1);
        assertThat(heard.get(0).nodes()).isTrue();
        assertThat(heard.get(0).lastTrigger()).contains(NOON.plusSeconds(2));
    }

    @Test
    void tellsOfNoTimeWhereNoneIsKnown() {
        changed(Map.of());

        cluster.subscribe((snapshot, changed) -> heard.add(changed));

        assertThat(heard.get(0).lastTrigger()).isEmpty();
    }

    private void changed(Map<String, List<Instant>> times) {
        TreeMap<NamespacedName, List<Instant>> triggers = new TreeMap<>();
        times.forEach((name, all) -> triggers.put(new NamespacedName("default", name), all));
        cluster.changed(ServiceSnapshot.EMPTY, new ChangeSet(new TreeSet<>(), true, triggers, 0, 0));
    }
}
