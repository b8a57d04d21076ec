package dev.nodepath.controllers.workload;

import static org.assertj.core.api.Assertions.assertThat;

import dev.nodepath.controllers.workload.RolloutStep.Member;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class RolloutStepTest {
    /**
     * Replicas, surge, unavailable, the newest set's size and its available Pods, the old set's: the sizes that
     * follow.
     */
    @ParameterizedTest
    @CsvSource({
        "4, 1, 0,  0, 0, 4, 4,  1, 4", // one more Pod first
        "4, 1, 0,  1, 0, 4, 4,  1, 4", // it is not available yet
        "4, 1, 0,  1, 1, 4, 4,  1, 3",
        "4, 1, 0,  1, 1, 3, 3,  2, 3",
        "4, 0, 1,  0, 0, 4, 4,  0, 3", // no room: one less first
        "4, 0, 1,  0, 0, 3, 3,  1, 3",
        "4, 1, 1,  1, 0, 4, 4,  1, 3",
        "4, 1, 0,  1, 0, 4, 2,  1, 4", // not one is to spare: two are missing already
        "4, 1, 1,  1, 0, 4, 2,  1, 3", // a Pod that does not serve goes first
        "10, 3, 2, 0, 0, 10, 10, 3, 10",
        "10, 3, 2, 3, 0, 10, 10, 3, 8",
        "4, 1, 0,  4, 4, 1, 1,  4, 0",
    })
    void movesSizesAsFarAsTheLimitsAllow(
            int replicas,
            int surge,
            int unavailable,
            int size,
            int ready,
            int old,
            int oldReady,
            int next,
            int oldNext) {
        RolloutLimits limits = new RolloutLimits(replicas, surge, unavailable);
        List<Member> olds = List.of(new Member("old", old, oldReady));
        int grown = RolloutStep.grown(limits, size, olds);
        assertThat(grown).isEqualTo(next);
        Map<String, Integer> shrunk =
                grown > size ? Map.of() : RolloutStep.shrunk(limits, new Member("new", size, ready), olds);
        assertThat(shrunk.getOrDefault("old", old)).isEqualTo(oldNext);
    }

    @Test
    void neverLeavesTheLimitsAndAlwaysEnds() {
        long seed = System.nanoTime();
        System.out.println("seed " + seed);
        Random random = new Random(seed);
        for (int run = 0; run < 2000; run++) {
            int replicas = random.nextInt(12);
            int surge = random.nextInt(4);
            RolloutLimits limits = new RolloutLimits(replicas, surge, surge == 0 ? 1 : random.nextInt(3));
            List<Member> old =
                    new ArrayList<>(List.of(member("a", replicas / 2), member("b", replicas - replicas / 2)));
            Member newest = member("new", 0);
            for (int step = 0;
                    step < 100 && (newest.replicas() < replicas || old.stream().anyMatch(each -> each.replicas() > 0));
                    step++) {
                int grown = RolloutStep.grown(limits, newest.replicas(), old);
                if (grown > newest.replicas()) {
                    newest = member("new", grown);
                } else {
                    Map<String, Integer> sizes = RolloutStep.shrunk(limits, newest, old);
                    old.replaceAll(each -> member(each.name(), sizes.getOrDefault(each.name(), each.replicas())));
                }
                int total = newest.replicas()
                        + old.stream().mapToInt(Member::replicas).sum();
                assertThat(total).isLessThanOrEqualTo(limits.podsMax()).isGreaterThanOrEqualTo(limits.availableMin());
            }
            assertThat(newest.replicas()).isEqualTo(replicas);
            assertThat(old).allMatch(each -> each.replicas() == 0);
        }
    }

    @ParameterizedTest
    @CsvSource({"13, 8, 5, 8, 5", "26, 8, 5, 16, 10", "5, 8, 5, 3, 2", "0, 8, 5, 0, 0", "14, 8, 5, 9, 5"})
    void sharesANewSizeInProportion(int allowed, int one, int other, int oneNext, int otherNext) {
        Map<String, Integer> sizes = RolloutStep.shared(allowed, List.of(member("one", one), member("other", other)));
        assertThat(sizes.getOrDefault("one", one)).isEqualTo(oneNext);
        assertThat(sizes.getOrDefault("other", other)).isEqualTo(otherNext);
    }

    private static Member member(String name, int replicas) {
        return new Member(name, replicas, replicas);
    }
}
