package dev.nodepath.dns;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.handler.codec.dns.DnsResponseCode;
import java.util.Optional;
import java.util.concurrent.ThreadLocalRandom;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Finds the response to a message in the zone. Names outside the zone are refused. */
final class Resolver {
    private static final Logger LOG = LoggerFactory.getLogger(Resolver.class);
    private static final int RESPONSE_BYTES = 512;

    private final LiveZone zone;

    Resolver(LiveZone zone) {
        this.zone = zone;
    }

    /**
     * Answers a message; the caller keeps it.
     *
     * @param tcp whether the response may be up to 64 KiB long
     * @return the response, which the caller owns; empty if the message gets none
     */
    Optional<ByteBuf> resolve(ByteBuf message, boolean tcp) {
        return RequestReader.read(message).map(request -> response(request, tcp));
    }

    private ByteBuf response(DnsRequest request, boolean tcp) {
        ByteBuf response = Unpooled.buffer(RESPONSE_BYTES);
        int limit = tcp ? ResponseWriter.TCP_MAX : request.udpLimit();
        ResponseWriter.write(request, answer(request).shuffled(ThreadLocalRandom.current()), limit, response);
        return response;
    }

    private Answer answer(DnsRequest request) {
        if (!request.error().equals(DnsResponseCode.NOERROR)) {
            return Answer.of(request.error());
        }
        try {
            return zone.current().answer(request.question().orElseThrow()).orElse(Answer.of(DnsResponseCode.REFUSED));
        } catch (RuntimeException e) {
            LOG.atError()
                    .addKeyValue("question", request.question().orElseThrow())
                    .setCause(e)
                    .log("dns.query_failed");
            return Answer.of(DnsResponseCode.SERVFAIL);
        }
    }
}
