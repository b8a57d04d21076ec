package dev.nodepath.bench.paths;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.nodepath.bench.suite.Recorder;
import dev.nodepath.bench.suite.Recorder.Quantity;
import java.util.List;
import org.junit.jupiter.api.Test;

class FixedRateTest {
    private static final Quantity REQUESTS = PathMeasures.perSecond(PathMeasures.KEPT_ALIVE);
    private static final List<String> CONTENDERS = List.of("direct", "relay", "haproxy");

    private final Recorder recorder = new Recorder("direct");
    private final FixedRate rate = new FixedRate();

    @Test
    void followsAMachineThatBecomesSlowerBetweenRounds() {
        round(0, 80_000, 40_000, 50_000);
        assertThat(rate.choose(recorder, CONTENDERS, 0)).isEqualTo(24_000, within(1e-6));
        round(1, 40_000, 20_000, 25_000);
        assertThat(rate.choose(recorder, CONTENDERS, 1)).isEqualTo(12_000, within(1e-6));
        assertThat(rate.note()).contains(" 60 % of what the slowest contender", ": 12000 to 24000 requests/s.");
    }

    @Test
    void whoFailedInARoundCountsWithItsLastRoundBefore() {
        round(0, 80_000, 40_000, 50_000);
        recorder.value(REQUESTS, "direct", 1, 70_000);
        recorder.value(REQUESTS, "haproxy", 1, 60_000);
        assertThat(rate.choose(recorder, CONTENDERS, 1)).isEqualTo(24_000, within(1e-6));
        round(2, 40_000, Double.NaN, 15_000);
        assertThat(rate.choose(recorder, CONTENDERS, 2)).isEqualTo(9_000, within(1e-6));
        assertThat(rate.choose(recorder, CONTENDERS, 3)).isEqualTo(9_000, within(1e-6));
        round(4, 80_000, 70_000, 60_000);
        assertThat(rate.choose(recorder, CONTENDERS, 4)).isEqualTo(36_000, within(1e-6));
    }

    @Test
    void whoHasNeverAnsweredIsNotAsked() {
        assertThat(rate.choose(recorder, CONTENDERS, 0)).isEqualTo(1000, within(1e-6));
        recorder.value(REQUESTS, "direct", 1, 70_000);
        assertThat(rate.choose(recorder, CONTENDERS, 1)).isEqualTo(42_000, within(1e-6));
    }

    private void round(int round, double direct, double relay, double haproxy) {
        recorder.value(REQUESTS, "direct", round, direct);
        recorder.value(REQUESTS, "relay", round, relay);
        recorder.value(REQUESTS, "haproxy", round, haproxy);
    }
}
