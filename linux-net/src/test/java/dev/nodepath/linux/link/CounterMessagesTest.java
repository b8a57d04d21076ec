package dev.nodepath.linux.link;

import static org.assertj.core.api.Assertions.assertThat;

import dev.nodepath.linux.netlink.Wire;
import org.junit.jupiter.api.Test;

/** Against bytes as Linux 6.18 sends them and takes them. */
class CounterMessagesTest {
    @Test
    void asksForTheCountersOfAllLinks() {
        assertThat(CounterMessages.list().toBytes(7)).isEqualTo(Wire.bytes("""
                1c 00 00 00  5e 00  01 03  07 00 00 00  00 00 00 00  # GETSTATS, REQUEST DUMP
                00 00 00 00  00 00 00 00  01 00 00 00                # any link, LINK_64
                """));
    }

    @Test
    void readsNumbersOf64Bits() {
        assertThat(CounterMessages.read(Wire.message("""
                00 00 00 00  07 00 00 00  01 00 00 00
                24 00 01 00  01 00 00 00 01 00 00 00                 # LINK_64: received packets
                             02 00 00 00 00 00 00 00                 #   sent packets
                             03 00 00 00 01 00 00 00                 #   received bytes
                             04 00 00 00 00 00 00 00                 #   sent bytes
                """)))
                .contains(new LinkTraffic(7, (1L << 32) + 1, 2, (1L << 32) + 3, 4));
    }

    @Test
    void aMessageWithoutCountersIsNone() {
        assertThat(CounterMessages.read(Wire.message("00 00 00 00  07 00 00 00  00 00 00 00")))
                .isEmpty();
    }
}
