package dev.nodepath.dns.server;

import dev.nodepath.dns.wire.DnsRequest;
import io.netty.handler.codec.dns.DnsResponseCode;
import java.util.Locale;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;

/** Counts what a server does. Any thread counts and reads. */
public final class QueryCounters {
    private static final String UNKNOWN = "UNKNOWN";

    private final Map<String, LongAdder> byCode = new ConcurrentHashMap<>();
    private final Map<String, LongAdder> byType = new ConcurrentHashMap<>();
    final LongAdder silent = new LongAdder();
    final LongAdder dropped = new LongAdder();
    final LongAdder refusedConnections = new LongAdder();
    final LongAdder forwarded = new LongAdder();
    final LongAdder cacheHits = new LongAdder();

    /** The counts as they are now. */
    public QueryCounts counts() {
        return new QueryCounts(
                sums(byCode),
                sums(byType),
                silent.sum(),
                dropped.sum(),
                refusedConnections.sum(),
                forwarded.sum(),
                cacheHits.sum());
    }

    void response(DnsRequest request, int code) {
        String name = DnsResponseCode.valueOf(code).toString();
        add(byCode, name.substring(0, name.indexOf('(')).toUpperCase(Locale.ROOT));
        add(byType, request.typeName());
    }

    /** There are 65 536 types; those without a name share a counter. */
    private static void add(Map<String, LongAdder> counters, String name) {
        counters.computeIfAbsent(name.startsWith(UNKNOWN) ? "other" : name, each -> new LongAdder())
                .increment();
    }

    private static SortedMap<String, Long> sums(Map<String, LongAdder> counters) {
        SortedMap<String, Long> sums = new TreeMap<>();
        counters.forEach((name, count) -> sums.put(name, count.sum()));
        return sums;
    }
}
