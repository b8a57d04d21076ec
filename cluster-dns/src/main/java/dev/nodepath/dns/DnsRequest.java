package dev.nodepath.dns;

import io.netty.handler.codec.dns.DnsResponseCode;
import java.util.Optional;

/**
 * A query that gets a response.
 *
 * @param opcode as received, 4 bits
 * @param error NOERROR if the question can be looked up; else the response's code
 * @param question empty if it could not be read; the response then has none either
 * @param dnsClass of the question
 * @param edns empty if the client knows no EDNS
 */
record DnsRequest(
        int id,
        int opcode,
        boolean recursionDesired,
        DnsResponseCode error,
        Optional<ZoneQuestion> question,
        int dnsClass,
        Optional<Edns> edns) {
    private static final int UDP_MAX_WITHOUT_EDNS = 512;
    private static final int UDP_MAX = 4096;

    /** The largest UDP response, in bytes: 512 without EDNS, else the client's limit, from 512 to 4096. */
    int udpLimit() {
        return edns.map(each -> Math.min(Math.max(each.payloadSize(), UDP_MAX_WITHOUT_EDNS), UDP_MAX))
                .orElse(UDP_MAX_WITHOUT_EDNS);
    }
}
