package dev.nodepath.dns.server;

import dev.nodepath.dns.wire.DnsRequest;
import dev.nodepath.dns.wire.Edns;
import dev.nodepath.dns.wire.UpstreamMessages;
import dev.nodepath.dns.zone.ZoneQuestion;
import io.netty.handler.codec.dns.DnsResponseCode;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/** The newest responses of upstream servers, each for at most half a minute. For one thread. */
final class UpstreamCache {
    private static final int ENTRIES_MAX = 1024;
    private static final long TTL_MAX_SECONDS = 30;

    private record Key(ZoneQuestion question, Optional<Edns> edns) {}

    private static final class Entry {
        private final byte[] response;
        private final long storedNanos;
        private final long ttlSeconds;

        Entry(byte[] response, long storedNanos, long ttlSeconds) {
            this.response = response;
            this.storedNanos = storedNanos;
            this.ttlSeconds = ttlSeconds;
        }
    }

    private final Map<Key, Entry> entries = new LinkedHashMap<>() {
        private static final long serialVersionUID = 1L;

        @Override
        protected boolean removeEldestEntry(Map.Entry<Key, UpstreamCache.Entry> eldest) {
            return size() > ENTRIES_MAX;
        }
    };

    /** The response to a request, for its client, if it is known. */
    Optional<byte[]> find(DnsRequest request, long nowNanos) {
        Key key = key(request);
        Entry entry = entries.get(key);
        if (entry == null) {
            return Optional.empty();
        }
        long age = TimeUnit.NANOSECONDS.toSeconds(nowNanos - entry.storedNanos);
        if (age >= entry.ttlSeconds) {
            entries.remove(key);
            return Optional.empty();
        }
        return Optional.of(UpstreamMessages.renewed(entry.response, request.id(), key.question, age));
    }

    /** Keeps a response that is complete and no failure. */
    void put(DnsRequest request, byte[] response, long nowNanos) {
        int code = UpstreamMessages.code(response);
        boolean kept = code == DnsResponseCode.NOERROR.intValue() || code == DnsResponseCode.NXDOMAIN.intValue();
        long ttl = Math.min(UpstreamMessages.ttl(response).orElse(0), TTL_MAX_SECONDS);
        if (kept && ttl > 0 && !UpstreamMessages.isTruncated(response)) {
            entries.put(key(request), new Entry(response, nowNanos, ttl));
        }
    }

    private static Key key(DnsRequest request) {
        return new Key(request.question().orElseThrow(), request.edns());
    }
}
