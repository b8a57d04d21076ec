package dev.nodepath.proxy.userspace.balance;

import dev.nodepath.linux.address.IpAddress;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Which endpoint the clients of one service port were last given ({@code sessionAffinity: ClientIP}). For any thread. */
public final class Affinity {
    /** Clients remembered for a service port; beyond that the one that was away longest is forgotten. */
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
     * The endpoint of a client that was here within the timeout, which counts anew from now.
     *
     * @param timeoutNanos as the Service asks for now, whatever it asked for when the client was last here
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

    /** From now on the client keeps to this endpoint. */
    public synchronized void pin(IpAddress client, RelayEndpoint endpoint, long nowNanos) {
        pins.put(client, new Pin(endpoint, nowNanos));
    }

    /** The client was at this endpoint until now; nothing if it keeps to another since. */
    synchronized void refresh(IpAddress client, RelayEndpoint endpoint, long nowNanos) {
        pins.computeIfPresent(client, (unused, pin) -> pin.endpoint == endpoint ? new Pin(endpoint, nowNanos) : pin);
    }

    synchronized void clear() {
        pins.clear();
    }

    synchronized int size() {
        return pins.size();
    }
}
