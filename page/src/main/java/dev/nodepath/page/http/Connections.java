package dev.nodepath.page.http;

import io.netty.channel.Channel;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * The connections that are no event streams. A client that has not sent the token is a stranger: there are at most
 * {@value #STRANGERS_MAX} strangers, each for at most {@value #STRANGER_SECONDS_MAX} s, and they take no places from
 * other clients. A connection beyond a limit replaces the one that has been quiet for the longest time. Only the event
 * loop uses it.
 */
@SuppressWarnings("FutureReturnValueIgnored") // a close needs no answer
final class Connections {
    static final int STRANGERS_MAX = 64;
    static final int STRANGER_SECONDS_MAX = 5;
    static final int PLAIN_MAX = 128;

    /** The start of each ({@link System#nanoTime}), the oldest first. */
    private final Map<Channel, Long> strangers = new LinkedHashMap<>();

    private final Map<Channel, Long> known = new LinkedHashMap<>();

    /** A client has connected. */
    void arrived(Channel channel) {
        put(strangers, channel, STRANGERS_MAX);
    }

    /** The client has sent the token. */
    void know(Channel channel) {
        forget(channel);
        put(known, channel, PLAIN_MAX);
    }

    /** The connection has ended, or is an event stream now. */
    void forget(Channel channel) {
        strangers.remove(channel);
        known.remove(channel);
    }

    /** Ends the connections that have been strangers for too long. Call it each second. */
    void sweep() {
        long now = System.nanoTime();
        while (!strangers.isEmpty()
                && now - strangers.values().iterator().next() > TimeUnit.SECONDS.toNanos(STRANGER_SECONDS_MAX)) {
            closeFirst(strangers);
        }
    }

    private static void put(Map<Channel, Long> channels, Channel channel, int max) {
        if (channels.size() >= max) {
            closeFirst(channels);
        }
        channels.put(channel, System.nanoTime());
    }

    private static void closeFirst(Map<Channel, Long> channels) {
        Iterator<Channel> first = channels.keySet().iterator();
        Channel channel = first.next();
        first.remove();
        channel.close();
    }
}
