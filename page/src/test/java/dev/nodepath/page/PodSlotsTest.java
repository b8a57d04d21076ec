package dev.nodepath.page;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;

class PodSlotsTest {
    private final PodSlots slots = new PodSlots();

    @Test
    void keepsEveryPodInItsPlaceWhenAnotherGoes() {
        slots.place(List.of(pod("a", "n1"), pod("b", "n1"), pod("c", "n1")));

        assertThat(slots.place(List.of(pod("a", "n1"), pod("c", "n1"))))
                .extracting(PicturedPod::id, PicturedPod::slot)
                .containsExactly(tuple("a", 0), tuple("c", 2));
    }

    @Test
    void givesAFreedPlaceToTheNextPod() {
        slots.place(List.of(pod("a", "n1"), pod("b", "n1")));
        slots.place(List.of(pod("b", "n1")));

        assertThat(slots.place(List.of(pod("b", "n1"), pod("z", "n1"))))
                .extracting(PicturedPod::id)
                .containsExactly("z", "b");
    }

    @Test
    void movesAPodOnlyWhenItGetsANode() {
        slots.place(List.of(pod("a", ""), pod("b", "n1")));

        assertThat(slots.place(List.of(pod("a", "n1"), pod("b", "n1"))))
                .extracting(PicturedPod::id, PicturedPod::slot)
                .containsExactly(tuple("b", 0), tuple("a", 1));
    }

    @Test
    void neverMovesAPodAndNeverPutsTwoInOnePlace() {
        long seed = System.nanoTime();
        Random random = new Random(seed);
        Map<String, Integer> places = new HashMap<>();
        List<PicturedPod> pods = new ArrayList<>();
        for (int i = 0; i < 500; i++) {
            if (!pods.isEmpty() && random.nextInt(3) == 0) {
                places.remove(pods.remove(random.nextInt(pods.size())).id());
            } else {
                pods.add(pod("p" + i, "n" + random.nextInt(3)));
            }
            Set<String> taken = new HashSet<>();
            for (PicturedPod placed : slots.place(pods)) {
                assertThat(taken.add(placed.node() + placed.slot()))
                        .as("seed " + seed)
                        .isTrue();
                assertThat(places.computeIfAbsent(placed.id(), id -> placed.slot()))
                        .as("seed " + seed)
                        .isEqualTo(placed.slot());
            }
        }
    }

    private static PicturedPod pod(String id, String node) {
        return SamplePicture.pod(id, node, 0, "10.244.1.9", true);
    }
}
