package dev.nodepath.apiserver.http;

import io.netty.channel.Channel;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * The octets that all connections hold together: bodies that arrive, wait or are in work, and answers on their way.
 * Above the limit, the connections that have held octets for the longest are closed: they are slow or do not read at
 * all. So there is always room for a new request. A connection with no more than a fair share is never closed.
 */
@SuppressWarnings("FutureReturnValueIgnored") // a close that fails has nothing left to close
final class HeldOctets {
    private final long max;
    private final long share;
    /** In the order of their first octets. */
    private final Map<Channel, Long> held = new LinkedHashMap<>();

    private long sum;

    /**
     * Nothing is held yet.
     *
     * @param max octets of all connections together
     * @param connections the most connections, each with an equal share
     */
    HeldOctets(long max, int connections) {
        this.max = max;
        this.share = max / connections;
    }

    /** For this process: an eighth of its memory, at most 256 MiB. */
    static HeldOctets ofThisProcess(int connections) {
        return new HeldOctets(Math.min(256L * 1024 * 1024, Runtime.getRuntime().maxMemory() / 8), connections);
    }

    synchronized void add(Channel channel, long octets) {
        if (octets == 0) {
            return;
        }
        held.merge(channel, octets, Long::sum);
        sum += octets;
        Iterator<Map.Entry<Channel, Long>> slowest = held.entrySet().iterator();
        while (sum > max && held.size() > 1 && slowest.hasNext()) {
            Map.Entry<Channel, Long> next = slowest.next();
            if (next.getValue() > share) {
                sum -= next.getValue();
                slowest.remove();
                next.getKey().close();
            }
        }
    }

    synchronized void remove(Channel channel, long octets) {
        long present = held.getOrDefault(channel, 0L);
        sum -= Math.min(present, octets);
        if (present > octets) {
            held.put(channel, present - octets);
        } else {
            held.remove(channel);
        }
    }

    /** A connection has ended. */
    synchronized void forget(Channel channel) {
        remove(channel, Long.MAX_VALUE);
    }

    synchronized long octets() {
        return sum;
    }
}
