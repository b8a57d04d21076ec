package dev.nodepath.dns;

import io.netty.buffer.ByteBuf;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Reads names and record headers of a message. A malformed part is empty; no method throws. */
final class MessageReader {
    static final int HEADER_BYTES = 12;
    private static final int LABEL_MAX = 63;
    private static final int NAME_MAX = 255;
    private static final int POINTER = 0xC0;
    private static final int POINTERS_MAX = 64;
    private static final int RECORD_FIXED_BYTES = 10;

    private final ByteBuf message;
    private final int start;
    private int at;

    /** Begins after the header. The message's own reader index does not change. */
    MessageReader(ByteBuf message) {
        this.message = message;
        this.start = message.readerIndex();
        this.at = HEADER_BYTES;
    }

    /** The part of a record before its data. */
    record RecordHeader(DomainName owner, int type, int dnsClass, long ttl) {}

    Optional<Integer> unsignedShort() {
        if (!has(2)) {
            return Optional.empty();
        }
        at += 2;
        return Optional.of(message.getUnsignedShort(start + at - 2));
    }

    /** A name without pointers: there is no earlier name that a question could point to. */
    Optional<DomainName> plainName() {
        return name(0);
    }

    /** A name that may end in pointers. */
    private Optional<DomainName> name() {
        return name(POINTERS_MAX);
    }

    private Optional<DomainName> name(int pointersMax) {
        List<String> labels = new ArrayList<>();
        int bytes = 1;
        int pointers = 0;
        int behind = -1;
        while (has(1)) {
            int length = message.getUnsignedByte(start + at++);
            if (length == 0) {
                at = behind < 0 ? at : behind;
                return Optional.of(new DomainName(labels));
            }
            if (length >= POINTER) {
                if (++pointers > pointersMax || !has(1)) {
                    return Optional.empty();
                }
                int target = (length & ~POINTER) << Byte.SIZE | message.getUnsignedByte(start + at);
                behind = behind < 0 ? at + 1 : behind;
                at = target;
                continue;
            }
            bytes += length + 1;
            if (length > LABEL_MAX || bytes > NAME_MAX || !has(length)) {
                return Optional.empty();
            }
            labels.add(message.toString(start + at, length, StandardCharsets.ISO_8859_1));
            at += length;
        }
        return Optional.empty();
    }

    /** The header of a record; the next read continues after its data. */
    Optional<RecordHeader> record() {
        Optional<DomainName> owner = name();
        if (owner.isEmpty() || !has(RECORD_FIXED_BYTES)) {
            return Optional.empty();
        }
        int type = message.getUnsignedShort(start + at);
        int dnsClass = message.getUnsignedShort(start + at + 2);
        long ttl = message.getUnsignedInt(start + at + 4);
        int length = message.getUnsignedShort(start + at + 8);
        at += RECORD_FIXED_BYTES;
        if (!has(length)) {
            return Optional.empty();
        }
        at += length;
        return Optional.of(new RecordHeader(owner.get(), type, dnsClass, ttl));
    }

    private boolean has(int bytes) {
        return start + at + bytes <= message.writerIndex();
    }
}
