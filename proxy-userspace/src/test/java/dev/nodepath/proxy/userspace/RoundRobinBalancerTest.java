package dev.nodepath.proxy.userspace;

import static dev.nodepath.proxy.userspace.Snapshots.endpoint;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class RoundRobinBalancerTest {
    private final RoundRobinBalancer balancer = new RoundRobinBalancer();

    @Test
    void hasNothingToGiveAtFirst() {
        assertThat(balancer.endpoint(balancer.nextTurn())).isNull();
    }

    @Test
    void givesEndpointsInTurn() {
        update("10.0.0.1:80", "10.0.0.2:80", "10.0.0.3:80");
        assertThat(next(7)).containsExactly(1, 2, 3, 1, 2, 3, 1);
    }

    @Test
    void goesOnWithTheRoundWhenEndpointsChange() {
        update("10.0.0.1:80", "10.0.0.2:80", "10.0.0.3:80");
        assertThat(next(1)).containsExactly(1);
        update("10.0.0.1:80", "10.0.0.2:80", "10.0.0.4:80");
        assertThat(next(3)).containsExactly(2, 4, 1);
    }

    @Test
    void givesOnlyCurrentEndpointsToAnOldTurn() {
        update("10.0.0.1:80", "10.0.0.2:80");
        int turn = balancer.nextTurn();
        update("10.0.0.9:80");
        assertThat(lastByte(turn)).isEqualTo(9);
        assertThat(lastByte(turn + 1)).isEqualTo(9);
        balancer.update(List.of());
        assertThat(balancer.endpoint(turn)).isNull();
    }

    @Test
    void survivesTheEndOfTheNumbers() {
        update("10.0.0.1:80", "10.0.0.2:80");
        assertThat(List.of(lastByte(Integer.MAX_VALUE), lastByte(Integer.MIN_VALUE), lastByte(-1)))
                .containsExactly(2, 1, 2);
    }

    private void update(String... endpoints) {
        balancer.update(List.of(endpoints).stream().map(Snapshots::endpoint).toList());
    }

    private List<Integer> next(int count) {
        return IntStream.range(0, count)
                .mapToObj(i -> lastByte(balancer.nextTurn()))
                .toList();
    }

    private int lastByte(int turn) {
        var endpoint = balancer.endpoint(turn);
        return endpoint == null ? -1 : endpoint.getAddress().getAddress()[3];
    }

    @Test
    void keepsThePort() {
        balancer.update(List.of(endpoint("10.0.0.1:8080")));
        assertThat(balancer.endpoint(0)).hasToString("/10.0.0.1:8080");
    }
}
