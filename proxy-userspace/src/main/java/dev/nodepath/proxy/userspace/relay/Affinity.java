package dev.nodepath.proxy.userspace.relay;

import dev.nodepath.linux.address.IpAddress;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The last endpoint of each client of a service port ({@code sessionAffinity: ClientIP}). Thread-safe. */
public final class Affinity {
    /**
     * The most remembered clients of a service port. A further client replaces the one that was absent for the longest
     * time.
     */
    public static final int CLIENTS_MAX = 16_384;

    private final Map<IpAddress, Pin> pins = new LinkedHashMap<>(16, 0.75f, true) {
        private static final long serialVersionUID = 1;

        @Override
        protected boolean removeEldestEntry(Map.Entry<IpAddress, Pin> eldest) {
            return size() > CLIENTS_MAX;
        }
    };

    private record Pin(RelayEndpoint endpoint, long usedAtNanos) {}

    /**
     * The endpoint of a client that was here within the timeout. The timeout starts again.
     *
     * @param timeoutNanos the timeout that the Service has now
     */
    public synchronized @Nullable RelayEndpoint find(IpAddress client, long nowNanos, long timeoutNanos) {
        Pin pin = pins.get(client);
        if (pin == null) {
            return null;
        }
        if (nowNanos - pin.usedAtNanos >= timeoutNanos) {
            pins.remove(client);
            return null;
        }
        pins.put(client, new Pin(pin.endpoint, nowNanos));
        return pin.endpoint;
    }

    /** Pins the client to this endpoint. */
    public synchronized void pin(IpAddress client, RelayEndpoint endpoint, long nowNanos) {
        pins.put(client, new Pin(endpoint, nowNanos));
    }

    /** Restarts the client's timeout, if the client is still pinned to this endpoint. */
    synchronized void refresh(IpAddress client, RelayEndpoint endpoint, long nowNanos) {
        pins.computeIfPresent(client, (same, pin) -> pin.endpoint == endpoint ? new Pin(endpoint, nowNanos) : pin);
    }

    synchronized void clear() {
        pins.clear();
    }

    synchronized int size() {
        return pins.size();
    }
}
