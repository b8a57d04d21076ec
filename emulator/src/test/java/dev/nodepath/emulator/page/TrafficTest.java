package dev.nodepath.emulator.page;

import static org.assertj.core.api.Assertions.assertThat;

import dev.nodepath.linux.link.LinkTraffic;
import dev.nodepath.page.Rate;
import org.junit.jupiter.api.Test;

class TrafficTest {
    private static final long SECOND = 1_000_000_000;
    private static final Traffic BEFORE = new Traffic(SECOND, 7, 1000, 2000, 10, 20);

    @Test
    void aRateIsTheMeanOfTheTimeBetweenTwoReadings() {
        assertThat(after(SECOND).since(BEFORE)).contains(new Rate(3000, 0, 3, 0));
        assertThat(after(2 * SECOND).since(BEFORE)).contains(new Rate(1500, 0, 2, 0));
        assertThat(after(SECOND / 2).since(BEFORE)).contains(new Rate(6000, 0, 6, 0));
        assertThat(new Traffic(2 * SECOND, 7, 1000, 2000, 10, 20).since(BEFORE)).contains(new Rate(0, 0, 0, 0));
    }

    private static Traffic after(long nanos) {
        return new Traffic(SECOND + nanos, 7, 4000, 2000, 13, 20);
    }

    @Test
    void aLinkThatWasMadeAnewHasNoRateAndNoneBelowNought() {
        assertThat(new Traffic(2 * SECOND, 8, 4000, 4000, 40, 40).since(BEFORE))
                .as("another link")
                .isEmpty();
        assertThat(new Traffic(2 * SECOND, 7, 999, 2000, 10, 20).since(BEFORE))
                .as("the same number in a new namespace")
                .isEmpty();
        assertThat(new Traffic(2 * SECOND, 7, 1000, 2000, 10, 19).since(BEFORE)).isEmpty();
        assertThat(BEFORE.since(BEFORE)).as("no time has passed").isEmpty();
    }

    @Test
    void whatANodeSendsOverItsEndOfAVethIsWhatThePodReceives() {
        LinkTraffic link = new LinkTraffic(7, 1, 2, 3, 4);

        assertThat(Traffic.ofOwner(link, 9)).isEqualTo(new Traffic(9, 7, 3, 4, 1, 2));
        assertThat(Traffic.ofPeer(link, 9)).isEqualTo(new Traffic(9, 7, 4, 3, 2, 1));
    }
}
