package dev.nodepath.dns.server;

import dev.nodepath.dns.wire.DnsRequest;
import dev.nodepath.dns.wire.RequestReader;
import dev.nodepath.dns.wire.ResponseWriter;
import dev.nodepath.dns.wire.UpstreamMessages;
import dev.nodepath.dns.zone.Answer;
import dev.nodepath.dns.zone.DomainName;
import dev.nodepath.dns.zone.LiveZone;
import dev.nodepath.dns.zone.Zone;
import dev.nodepath.dns.zone.ZoneQuestion;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.netty.handler.codec.dns.DnsRecordType;
import io.netty.handler.codec.dns.DnsResponseCode;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Finds the response to a message: in the zone, or upstream. */
final class Resolver {
    private static final Logger LOG = LoggerFactory.getLogger(Resolver.class);
    private static final int RESPONSE_BYTES = 512;

    private final LiveZone zone;
    private final Optional<Forwarder> upstream;
    private final QueryCounters counters;

    Resolver(LiveZone zone, Optional<Forwarder> upstream, QueryCounters counters) {
        this.zone = zone;
        this.upstream = upstream;
        this.counters = counters;
    }

    QueryCounters counters() {
        return counters;
    }

    /**
     * Answers a message, which stays the caller's.
     *
     * @param tcp whether the response may have 64 KiB
     * @param reply gets the response and owns it: at once, or later on another thread; never if there is none
     */
    void resolve(ByteBuf message, boolean tcp, Consumer<ByteBuf> reply) {
        Optional<DnsRequest> read = RequestReader.read(message);
        if (read.isEmpty()) {
            counters.silent.increment();
            return;
        }
        DnsRequest request = read.get();
        Exchange exchange = new Exchange(request, tcp ? ResponseWriter.TCP_MAX : request.udpLimit(), reply);
        if (!request.error().equals(DnsResponseCode.NOERROR)) {
            exchange.answer(Answer.of(request.error()));
            return;
        }
        try {
            look(exchange, message, request.question().orElseThrow());
        } catch (RuntimeException e) {
            LOG.error("dns.query-failed question=\"{}\"", request.question().orElseThrow(), e);
            exchange.answer(Answer.of(DnsResponseCode.SERVFAIL));
        }
    }

    private void look(Exchange exchange, ByteBuf message, ZoneQuestion question) {
        Zone now = zone.current();
        Optional<Answer> answer = now.answer(question);
        boolean outside = answer.isEmpty()
                || (now.isReverse(question.name()) && answer.get().code().equals(DnsResponseCode.NXDOMAIN));
        if (outside && upstream.isPresent()) {
            exchange.forward(upstream.get(), message);
        } else if (answer.isPresent() && follows(answer.get(), question)) {
            exchange.follow(upstream.orElseThrow(), answer.get(), question.type());
        } else {
            exchange.answer(answer.orElse(Answer.of(DnsResponseCode.REFUSED)));
        }
    }

    private boolean follows(Answer answer, ZoneQuestion question) {
        boolean addresses =
                question.type().equals(DnsRecordType.A) || question.type().equals(DnsRecordType.AAAA);
        return upstream.isPresent() && addresses && answer.follow().isPresent();
    }

    /** One request and where its response goes. */
    private final class Exchange {
        private final DnsRequest request;
        private final int limit;
        private final Consumer<ByteBuf> reply;

        Exchange(DnsRequest request, int limit, Consumer<ByteBuf> reply) {
            this.request = request;
            this.limit = limit;
            this.reply = reply;
        }

        void answer(Answer answer) {
            Random random = ThreadLocalRandom.current();
            ByteBuf response = Unpooled.buffer(RESPONSE_BYTES);
            ResponseWriter.write(request, answer.shuffled(random), limit, upstream.isPresent(), response);
            counters.response(request, answer.code().intValue());
            reply.accept(response);
        }

        void forward(Forwarder forwarder, ByteBuf message) {
            forwarder.ask(request, ByteBufUtil.getBytes(message), this::relay, this::fail);
        }

        private void relay(byte[] response) {
            counters.response(request, UpstreamMessages.code(response));
            reply.accept(Unpooled.wrappedBuffer(response));
        }

        private void fail() {
            answer(Answer.of(DnsResponseCode.SERVFAIL));
        }

        void follow(Forwarder forwarder, Answer alias, DnsRecordType type) {
            DomainName target = alias.follow().orElseThrow();
            DnsRequest ask = UpstreamMessages.request(new ZoneQuestion(target, type));
            forwarder.ask(
                    ask,
                    UpstreamMessages.query(ask),
                    response -> answer(alias.followed(UpstreamMessages.addresses(response))),
                    this::fail);
        }
    }
}
