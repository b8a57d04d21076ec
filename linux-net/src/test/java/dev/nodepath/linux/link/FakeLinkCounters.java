package dev.nodepath.linux.link;

import dev.nodepath.linux.syscall.Errno;
import dev.nodepath.linux.syscall.LinuxNetException;
import java.util.HashMap;
import java.util.Map;

/** Counters in memory. The same test cases run against it and against the kernel. */
public final class FakeLinkCounters implements LinkCounters {
    private final Map<Integer, LinkTraffic> links = new HashMap<>();
    private Errno failure = Errno.UNKNOWN;
    private boolean closed;

    /** Has a link count so much more; a new one counts from 0. */
    public void add(LinkTraffic more) {
        links.merge(
                more.index(),
                more,
                (before, now) -> new LinkTraffic(
                        now.index(),
                        before.receivedPackets() + now.receivedPackets(),
                        before.sentPackets() + now.sentPackets(),
                        before.receivedBytes() + now.receivedBytes(),
                        before.sentBytes() + now.sentBytes()));
    }

    /** Removes a link. */
    public void remove(int index) {
        links.remove(index);
    }

    /** Makes every call fail from now on; UNKNOWN ends that. */
    public void fail(Errno errno) {
        failure = errno;
    }

    /** Whether it is closed. */
    public boolean isClosed() {
        return closed;
    }

    @Override
    public Map<Integer, LinkTraffic> read() throws LinuxNetException {
        if (closed) {
            throw new IllegalStateException("closed");
        }
        if (failure != Errno.UNKNOWN) {
            throw new LinuxNetException("read the counters of links", failure.number(), "injected");
        }
        return Map.copyOf(links);
    }

    @Override
    public void close() {
        closed = true;
    }
}
