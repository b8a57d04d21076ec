package dev.nodepath.emulator.page;

import dev.nodepath.linux.link.LinkTraffic;
import dev.nodepath.page.Rate;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/**
 * The bytes and packets that a part of the cluster has received and sent, by the counters of a link.
 *
 * @param nanos when they were read, by {@link System#nanoTime}
 * @param link the index of the link
 */
record Traffic(long nanos, int link, long bytesIn, long bytesOut, long packetsIn, long packetsOut) {
    /** The traffic of the link's owner. */
    static Traffic ofOwner(LinkTraffic link, long nanos) {
        return new Traffic(
                nanos,
                link.index(),
                link.receivedBytes(),
                link.sentBytes(),
                link.receivedPackets(),
                link.sentPackets());
    }

    /** The traffic of the link's peer: the link's sent bytes are the peer's received bytes. */
    static Traffic ofPeer(LinkTraffic link, long nanos) {
        return new Traffic(
                nanos,
                link.index(),
                link.sentBytes(),
                link.receivedBytes(),
                link.sentPackets(),
                link.receivedPackets());
    }

    /**
     * The mean since an earlier reading. Empty if the earlier reading was of another link, or of a link whose counters
     * have begun again.
     */
    Optional<Rate> since(Traffic before) {
        long passed = nanos - before.nanos;
        boolean same = before.link == link
                && before.bytesIn <= bytesIn
                && before.bytesOut <= bytesOut
                && before.packetsIn <= packetsIn
                && before.packetsOut <= packetsOut;
        return same && passed > 0
                ? Optional.of(new Rate(
                        perSecond(bytesIn - before.bytesIn, passed),
                        perSecond(bytesOut - before.bytesOut, passed),
                        perSecond(packetsIn - before.packetsIn, passed),
                        perSecond(packetsOut - before.packetsOut, passed)))
                : Optional.empty();
    }

    private static long perSecond(long count, long passed) {
        return Math.round((double) count * TimeUnit.SECONDS.toNanos(1) / passed);
    }
}
