package dev.nodepath.dns.server;

import java.util.SortedMap;

/**
 * What a server has done so far.
 *
 * @param byCode responses by response code, such as {@code NOERROR}
 * @param byType responses by the question's type, such as {@code AAAA}; unknown ones are {@code other}
 * @param silent messages without a response: broken, or responses themselves
 * @param dropped responses that the socket did not take
 * @param refusedConnections TCP connections beyond the limit
 * @param forwarded questions sent upstream
 * @param cacheHits questions for upstream that were answered from memory
 */
public record QueryCounts(
        SortedMap<String, Long> byCode,
        SortedMap<String, Long> byType,
        long silent,
        long dropped,
        long refusedConnections,
        long forwarded,
        long cacheHits) {}
