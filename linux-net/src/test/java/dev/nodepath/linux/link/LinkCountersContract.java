package dev.nodepath.linux.link;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.util.Objects;
import org.junit.jupiter.api.Test;

/** The contract of every {@link LinkCounters}; a subclass has a pair of links that are each other's peer. */
abstract class LinkCountersContract {
    private static final int DATAGRAMS = 20;
    private static final int PAYLOAD_BYTES = 1000;
    /** Ethernet, IPv4 and UDP. */
    private static final int HEADER_BYTES = 14 + 20 + 8;

    abstract LinkCounters counters();

    abstract int near();

    abstract int far();

    /** Sends UDP datagrams over IPv4 from the near link to the far one. */
    abstract void send(int datagrams, int payloadBytes) throws IOException;

    /** Removes both links. */
    abstract void remove() throws IOException;

    private LinkTraffic read(int index) throws IOException {
        return Objects.requireNonNull(counters().read().get(index));
    }

    @Test
    void countWhatALinkSendsAndItsPeerReceives() throws IOException {
        LinkTraffic nearBefore = read(near());
        LinkTraffic farBefore = read(far());
        send(DATAGRAMS, PAYLOAD_BYTES);
        LinkTraffic near = read(near());
        LinkTraffic far = read(far());

        long bytes = (long) DATAGRAMS * (PAYLOAD_BYTES + HEADER_BYTES);
        assertThat(near.sentPackets() - nearBefore.sentPackets()).isEqualTo(DATAGRAMS);
        assertThat(near.sentBytes() - nearBefore.sentBytes()).isEqualTo(bytes);
        assertThat(near.receivedPackets()).isEqualTo(nearBefore.receivedPackets());
        assertThat(far.receivedPackets() - farBefore.receivedPackets()).isEqualTo(DATAGRAMS);
        assertThat(far.receivedBytes() - farBefore.receivedBytes()).isEqualTo(bytes);
        assertThat(far.sentBytes()).isEqualTo(farBefore.sentBytes());
    }

    @Test
    void haveNoLinkThatIsGone() throws IOException {
        assertThat(counters().read()).containsKeys(near(), far());
        remove();
        assertThat(counters().read()).doesNotContainKeys(near(), far());
    }

    @Test
    void sayThatTheyAreClosed() {
        counters().close();
        assertThatThrownBy(() -> counters().read()).isInstanceOf(IllegalStateException.class);
    }
}
