package dev.nodepath.dns;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.netty.handler.codec.dns.DnsRecordType;
import java.nio.charset.StandardCharsets;

/** The bytes of queries, good and bad. */
final class QueryBytes {
    private QueryBytes() {}

    /** A question without EDNS. */
    static byte[] query(int id, String name, String type) {
        ByteBuf out = header(id, 1, 0);
        return ByteBufUtil.getBytes(question(out, name, type));
    }

    /** A question with an OPT record; the DO bit is set. */
    static byte[] query(int id, String name, String type, int payloadSize, int version) {
        ByteBuf out = question(header(id, 1, 1), name, type);
        out.writeByte(0).writeShort(41).writeShort(payloadSize);
        out.writeByte(0).writeByte(version).writeShort(0x8000).writeShort(0);
        return ByteBufUtil.getBytes(out);
    }

    static ByteBuf header(int id, int questions, int additional) {
        return Unpooled.buffer()
                .writeShort(id)
                .writeShort(0x0100)
                .writeShort(questions)
                .writeInt(0)
                .writeShort(additional);
    }

    static ByteBuf question(ByteBuf out, String name, String type) {
        for (String label : DomainName.of(name).labels()) {
            out.writeByte(label.length());
            out.writeCharSequence(label, StandardCharsets.ISO_8859_1);
        }
        return out.writeByte(0)
                .writeShort(DnsRecordType.valueOf(type).intValue())
                .writeShort(1);
    }
}
