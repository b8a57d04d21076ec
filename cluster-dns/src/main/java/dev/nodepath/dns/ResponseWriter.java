package dev.nodepath.dns;

import io.netty.buffer.ByteBuf;
import io.netty.handler.codec.dns.DnsResponseCode;
import java.util.List;

/** Writes responses, with compressed names and complete records. */
final class ResponseWriter {
    /** The largest message over TCP, in bytes. */
    static final int TCP_MAX = 0xFFFF;

    private static final int RESPONSE = 0x8000;
    private static final int AUTHORITATIVE = 0x0400;
    private static final int TRUNCATED = 0x0200;
    private static final int RECURSION_DESIRED = 0x0100;
    private static final int OPCODE_SHIFT = 11;
    private static final int OPT_BYTES = 11;
    /** This server's own UDP limit: a datagram that no network fragments. */
    private static final int OWN_PAYLOAD_SIZE = 1232;

    private final ByteBuf out;
    private final int start;
    private final int limit;
    private final RecordWriter records;

    private ResponseWriter(ByteBuf out, int limit) {
        this.out = out;
        this.start = out.writerIndex();
        this.limit = limit;
        this.records = new RecordWriter(out);
    }

    /**
     * Writes the response to a request. Records that do not fit are left out, and the response is marked as truncated;
     * missing records of the Additional section are not marked (RFC 2181 section 9).
     *
     * @param limit the most bytes of the whole message
     */
    static void write(DnsRequest request, Answer answer, int limit, ByteBuf out) {
        new ResponseWriter(out, limit).write(request, answer);
    }

    private void write(DnsRequest request, Answer answer) {
        out.writeZero(MessageReader.HEADER_BYTES);
        request.question().ifPresent(question -> writeQuestion(question, request.dnsClass()));
        int reserved = request.edns().isPresent() ? OPT_BYTES : 0;
        int answers = writeRecords(answer.answers(), reserved);
        int authority = answers < answer.answers().size() ? 0 : writeRecords(answer.authority(), reserved);
        boolean truncated = answers + authority
                < answer.answers().size() + answer.authority().size();
        int additional = truncated ? 0 : writeRecords(answer.additional(), reserved);
        request.edns().ifPresent(edns -> writeOpt(edns, answer.code()));

        out.setShort(start, request.id());
        out.setShort(start + 2, flags(request, answer, truncated));
        out.setShort(start + 4, request.question().isPresent() ? 1 : 0);
        out.setShort(start + 6, answers);
        out.setShort(start + 8, authority);
        out.setShort(start + 10, additional + (request.edns().isPresent() ? 1 : 0));
    }

    private void writeQuestion(ZoneQuestion question, int dnsClass) {
        records.writeName(question.name());
        out.writeShort(question.type().intValue());
        out.writeShort(dnsClass);
    }

    /** Writes records up to the first that does not fit, and returns their number. */
    private int writeRecords(List<ResourceRecord> all, int reserved) {
        int written = 0;
        for (ResourceRecord each : all) {
            int before = out.writerIndex();
            records.write(each);
            if (out.writerIndex() - start > limit - reserved) {
                out.writerIndex(before);
                return written;
            }
            written++;
        }
        return written;
    }

    private void writeOpt(Edns edns, DnsResponseCode code) {
        out.writeByte(0);
        out.writeShort(Edns.OPT);
        out.writeShort(OWN_PAYLOAD_SIZE);
        out.writeByte(code.intValue() >>> 4);
        out.writeByte(0);
        out.writeShort(edns.dnssecOk() ? Edns.DNSSEC_OK : 0);
        out.writeShort(0);
    }

    private static int flags(DnsRequest request, Answer answer, boolean truncated) {
        return RESPONSE
                | request.opcode() << OPCODE_SHIFT
                | (answer.authoritative() ? AUTHORITATIVE : 0)
                | (truncated ? TRUNCATED : 0)
                | (request.recursionDesired() ? RECURSION_DESIRED : 0)
                | (answer.code().intValue() & 0xF);
    }
}
