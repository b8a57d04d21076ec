package dev.nodepath.linux;

import dev.nodepath.linux.namespace.NetworkChange;
import dev.nodepath.linux.namespace.NetworkWatch;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** The announcements of the fake kernel; indirect effects of a change are not announced. */
final class FakeNetworkWatch implements NetworkWatch {
    private final List<NetworkChange> waiting = new ArrayList<>();
    private boolean closed;

    FakeNetworkWatch(FakeNamespace namespace) {
        namespace.watches().add(this);
    }

    synchronized void announce(NetworkChange change) {
        if (!closed) {
            waiting.add(change);
            notifyAll();
        }
    }

    @Override
    public synchronized List<NetworkChange> await(Duration limit) {
        long deadline = System.nanoTime() + limit.toNanos();
        try {
            for (long left = limit.toMillis();
                    left > 0 && waiting.isEmpty();
                    left = (deadline - System.nanoTime()) / 1_000_000) {
                wait(left);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        List<NetworkChange> changes = List.copyOf(waiting);
        waiting.clear();
        return changes;
    }

    @Override
    public synchronized void close() {
        closed = true;
    }
}
