package dev.nodepath.linux.link;

import dev.nodepath.linux.netlink.NetlinkMessage;
import dev.nodepath.linux.netlink.NetlinkRequest;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Optional;

/**
 * The request for the counters of all links, and the reading of one link's counters ({@code
 * include/uapi/linux/if_link.h}). A list of links has the counters too, with ten times the bytes.
 */
final class CounterMessages {
    private static final int GETSTATS = 94;
    /** {@code struct if_stats_msg}: family, padding, index, mask. */
    private static final int HEADER_BYTES = 12;

    private static final int INDEX_OFFSET = 4;
    private static final int STATS_LINK_64 = 1;

    /** {@code struct rtnl_link_stats64} begins with these, each of 8 bytes. */
    private static final int RECEIVED_PACKETS = 0;

    private static final int SENT_PACKETS = 8;
    private static final int RECEIVED_BYTES = 16;
    private static final int SENT_BYTES = 24;
    private static final int USED_BYTES = 32;

    private CounterMessages() {}

    static NetlinkRequest list() {
        return NetlinkRequest.dump(GETSTATS).putInt(0).putInt(0).putInt(1 << (STATS_LINK_64 - 1));
    }

    /** Empty if the kernel has left the counters out. */
    static Optional<LinkTraffic> read(NetlinkMessage message) {
        byte[] counters = message.attributes(HEADER_BYTES).bytes(STATS_LINK_64);
        if (counters == null || counters.length < USED_BYTES) {
            return Optional.empty();
        }
        ByteBuffer numbers = ByteBuffer.wrap(counters).order(ByteOrder.nativeOrder());
        return Optional.of(new LinkTraffic(
                message.payload().getInt(INDEX_OFFSET),
                numbers.getLong(RECEIVED_PACKETS),
                numbers.getLong(SENT_PACKETS),
                numbers.getLong(RECEIVED_BYTES),
                numbers.getLong(SENT_BYTES)));
    }
}
