package dev.nodepath.dns;

import dev.nodepath.dns.MessageReader.RecordHeader;
import io.netty.buffer.ByteBuf;
import io.netty.handler.codec.dns.DnsRecordType;
import io.netty.handler.codec.dns.DnsResponseCode;
import java.util.Optional;

/** Reads queries. */
final class RequestReader {
    private static final int IN = 1;
    private static final int RESPONSE = 0x8000;
    private static final int RECURSION_DESIRED = 0x0100;
    private static final int OPCODE_SHIFT = 11;
    private static final int OPCODE_MASK = 0xF;
    /** The most records of a query: it has an OPT record, and perhaps a signature. */
    private static final int RECORDS_MAX = 16;

    private final ByteBuf message;
    private final int id;
    private final int flags;

    private RequestReader(ByteBuf message) {
        this.message = message;
        this.id = message.getUnsignedShort(message.readerIndex());
        this.flags = count(2);
    }

    /**
     * Reads a query. The caller keeps the message.
     *
     * @return empty if it gets no response: it is shorter than a header, or is a response itself
     */
    static Optional<DnsRequest> read(ByteBuf message) {
        if (message.readableBytes() < MessageReader.HEADER_BYTES) {
            return Optional.empty();
        }
        RequestReader reader = new RequestReader(message);
        return (reader.flags & RESPONSE) != 0 ? Optional.empty() : Optional.of(reader.read());
    }

    private DnsRequest read() {
        if (opcode() != 0) {
            return refused(DnsResponseCode.NOTIMP);
        }
        MessageReader reader = new MessageReader(message);
        Optional<DomainName> name = count(4) == 1 ? reader.plainName() : Optional.empty();
        Optional<Integer> type = name.flatMap(each -> reader.unsignedShort());
        Optional<Integer> dnsClass = type.flatMap(each -> reader.unsignedShort());
        if (dnsClass.isEmpty()) {
            return refused(DnsResponseCode.FORMERR);
        }
        ZoneQuestion question = new ZoneQuestion(name.orElseThrow(), DnsRecordType.valueOf(type.orElseThrow()));
        Records records = records(reader);
        DnsResponseCode error = records.broken() ? DnsResponseCode.FORMERR : error(question, dnsClass.get(), records);
        return new DnsRequest(
                id, opcode(), recursionDesired(), error, Optional.of(question), dnsClass.get(), records.edns());
    }

    private static DnsResponseCode error(ZoneQuestion question, int dnsClass, Records records) {
        if (records.edns().isPresent() && records.edns().get().version() != 0) {
            return DnsResponseCode.BADVERS_OR_BADSIG;
        }
        DnsRecordType type = question.type();
        if (dnsClass != IN || type.equals(DnsRecordType.AXFR) || type.equals(DnsRecordType.IXFR)) {
            return DnsResponseCode.REFUSED;
        }
        // RFC 8482 allows it; clients do not need all records of a name.
        return type.equals(DnsRecordType.ANY) ? DnsResponseCode.NOTIMP : DnsResponseCode.NOERROR;
    }

    private record Records(boolean broken, Optional<Edns> edns) {}

    private Records records(MessageReader reader) {
        int answers = count(6) + count(8);
        int all = answers + count(10);
        Records broken = new Records(true, Optional.empty());
        if (all > RECORDS_MAX) {
            return broken;
        }
        Optional<Edns> edns = Optional.empty();
        for (int i = 0; i < all; i++) {
            Optional<RecordHeader> header = reader.record();
            if (header.isEmpty()) {
                return broken;
            }
            if (header.get().type() == Edns.OPT) {
                if (i < answers || edns.isPresent() || header.get().owner().size() > 0) {
                    return broken;
                }
                edns = Optional.of(edns(header.get()));
            }
        }
        return new Records(false, edns);
    }

    private static Edns edns(RecordHeader header) {
        int version = (int) (header.ttl() >>> 16) & 0xFF;
        return new Edns(header.dnsClass(), version, (header.ttl() & Edns.DNSSEC_OK) != 0);
    }

    private DnsRequest refused(DnsResponseCode error) {
        return new DnsRequest(id, opcode(), recursionDesired(), error, Optional.empty(), IN, Optional.empty());
    }

    private int opcode() {
        return flags >>> OPCODE_SHIFT & OPCODE_MASK;
    }

    private boolean recursionDesired() {
        return (flags & RECURSION_DESIRED) != 0;
    }

    private int count(int offset) {
        return message.getUnsignedShort(message.readerIndex() + offset);
    }
}
