package dev.nodepath.dns.wire;

import dev.nodepath.dns.wire.MessageReader.RecordHeader;
import dev.nodepath.dns.zone.DomainName;
import dev.nodepath.dns.zone.RecordData;
import dev.nodepath.dns.zone.ResourceRecord;
import dev.nodepath.dns.zone.ZoneQuestion;
import dev.nodepath.linux.address.IpAddress;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.netty.handler.codec.dns.DnsRecordType;
import io.netty.handler.codec.dns.DnsResponseCode;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;

/** Messages exchanged with other name servers, as bytes. */
public final class UpstreamMessages {
    private static final int IN = 1;
    private static final int RESPONSE = 0x80;
    private static final int TRUNCATED = 0x02;
    private static final int PAYLOAD_SIZE = 1232;
    private static final int RECORDS_MAX = 1000;

    private UpstreamMessages() {}

    /** A request of our own. */
    public static DnsRequest request(ZoneQuestion question) {
        return new DnsRequest(
                0,
                0,
                true,
                DnsResponseCode.NOERROR,
                Optional.of(question),
                IN,
                Optional.of(new Edns(PAYLOAD_SIZE, 0, false)));
    }

    /** The message of a request of our own. */
    public static byte[] query(DnsRequest request) {
        ByteBuf out = Unpooled.buffer();
        ZoneQuestion question = request.question().orElseThrow();
        out.writeShort(request.id())
                .writeShort(0x0100)
                .writeShort(1)
                .writeInt(0)
                .writeShort(1);
        new RecordWriter(out).writeName(question.name());
        out.writeShort(question.type().intValue()).writeShort(IN);
        out.writeByte(0)
                .writeShort(Edns.OPT)
                .writeShort(PAYLOAD_SIZE)
                .writeInt(0)
                .writeShort(0);
        return ByteBufUtil.getBytes(out);
    }

    /** The ID of a message. */
    public static int id(byte[] message) {
        return (message[0] & 0xFF) << Byte.SIZE | (message[1] & 0xFF);
    }

    /** The message with another ID. */
    public static byte[] withId(byte[] message, int id) {
        byte[] changed = message.clone();
        changed[0] = (byte) (id >>> Byte.SIZE);
        changed[1] = (byte) id;
        return changed;
    }

    /** The response code in the header. */
    public static int code(byte[] response) {
        return response[3] & 0xF;
    }

    /** Whether records were left out. */
    public static boolean isTruncated(byte[] response) {
        return (response[2] & TRUNCATED) != 0;
    }

    /** Whether a message is a response to this question. */
    public static boolean answers(byte[] message, DnsRequest request) {
        if (message.length < MessageReader.HEADER_BYTES || (message[2] & RESPONSE) == 0) {
            return false;
        }
        ByteBuf buffer = Unpooled.wrappedBuffer(message);
        MessageReader reader = new MessageReader(buffer);
        ZoneQuestion question = request.question().orElseThrow();
        return buffer.getUnsignedShort(4) == 1
                && reader.plainName().filter(question.name()::equals).isPresent()
                && reader.unsignedShort()
                        .filter(each -> each == question.type().intValue())
                        .isPresent()
                && reader.unsignedShort()
                        .filter(each -> each == request.dnsClass())
                        .isPresent();
    }

    /** A response for another client: its ID, the case of its question, and TTLs that have aged. */
    public static byte[] renewed(byte[] response, int id, ZoneQuestion question, long ageSeconds) {
        byte[] renewed = withId(response, id);
        ByteBuf buffer = Unpooled.wrappedBuffer(renewed);
        ByteBuf name = buffer.duplicate().writerIndex(MessageReader.HEADER_BYTES);
        new RecordWriter(name).writeName(question.name());
        for (RecordHeader each : records(renewed)) {
            if (each.type() != Edns.OPT) {
                buffer.setInt(each.ttlAt(), (int) Math.max(0, each.ttl() - ageSeconds));
            }
        }
        return renewed;
    }

    /** The smallest TTL of a response's records; empty if there are none or they are broken. */
    public static OptionalLong ttl(byte[] response) {
        return records(response).stream()
                .filter(each -> each.type() != Edns.OPT)
                .mapToLong(RecordHeader::ttl)
                .min();
    }

    /** The addresses and aliases in a response. */
    public static List<ResourceRecord> addresses(byte[] response) {
        List<ResourceRecord> found = new ArrayList<>();
        ByteBuf buffer = Unpooled.wrappedBuffer(response);
        int answers = buffer.getUnsignedShort(6);
        List<RecordHeader> records = records(response);
        for (RecordHeader each : records.subList(0, Math.min(answers, records.size()))) {
            data(buffer, each)
                    .ifPresent(data -> found.add(new ResourceRecord(
                            each.owner(), DnsRecordType.valueOf(each.type()), (int) each.ttl(), data)));
        }
        return found;
    }

    private static Optional<RecordData> data(ByteBuf message, RecordHeader header) {
        DnsRecordType type = DnsRecordType.valueOf(header.type());
        if (type.equals(DnsRecordType.CNAME)) {
            MessageReader reader = new MessageReader(message);
            reader.moveTo(header.dataAt());
            return reader.name().map(RecordData.Target::new);
        }
        int expected = type.equals(DnsRecordType.A) ? 4 : type.equals(DnsRecordType.AAAA) ? 16 : -1;
        if (header.dataLength() != expected) {
            return Optional.empty();
        }
        byte[] address = ByteBufUtil.getBytes(message, header.dataAt(), expected);
        return Optional.of(new RecordData.Address(IpAddress.of(address)));
    }

    /** The records of all sections up to the first broken one. */
    private static List<RecordHeader> records(byte[] response) {
        ByteBuf buffer = Unpooled.wrappedBuffer(response);
        MessageReader reader = new MessageReader(buffer);
        List<RecordHeader> records = new ArrayList<>();
        Optional<DomainName> name = reader.plainName();
        if (name.isEmpty()) {
            return records;
        }
        reader.moveTo(reader.at() + 2 * Short.BYTES);
        int all = buffer.getUnsignedShort(6) + buffer.getUnsignedShort(8) + buffer.getUnsignedShort(10);
        for (int i = 0; i < Math.min(all, RECORDS_MAX); i++) {
            Optional<RecordHeader> next = reader.record();
            if (next.isEmpty()) {
                break;
            }
            records.add(next.get());
        }
        return records;
    }
}
