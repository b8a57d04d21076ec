package dev.nodepath.apiserver.request;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;

/** Reads the fields of one message (protobuf's wire format). */
final class WireReader {
    private static final int VARINT = 0;
    private static final int FIXED_64 = 1;
    private static final int LENGTH = 2;
    private static final int FIXED_32 = 5;

    private final ByteBuffer octets;
    private int number;
    private long value;
    private ByteBuffer content = ByteBuffer.allocate(0);

    WireReader(ByteBuffer octets) {
        this.octets = octets.slice().order(ByteOrder.LITTLE_ENDIAN);
    }

    /** Goes to the next field; false at the end. */
    boolean next() {
        if (!octets.hasRemaining()) {
            return false;
        }
        long tag = varint();
        number = (int) (tag >>> 3);
        content = ByteBuffer.allocate(0);
        switch ((int) tag & 7) {
            case VARINT -> value = varint();
            case FIXED_64 -> value = fixed(Long.BYTES);
            case FIXED_32 -> value = fixed(Integer.BYTES);
            case LENGTH -> content = part(varint());
            default -> throw new MalformedMessageException("wire type " + (tag & 7));
        }
        return true;
    }

    int number() {
        return number;
    }

    long value() {
        return value;
    }

    ByteBuffer content() {
        return content.duplicate();
    }

    byte[] bytes() {
        byte[] copy = new byte[content.remaining()];
        content().get(copy);
        return copy;
    }

    String text() {
        return StandardCharsets.UTF_8.decode(content()).toString();
    }

    private long fixed(int size) {
        ByteBuffer part = part(size);
        return size == Long.BYTES
                ? part.order(ByteOrder.LITTLE_ENDIAN).getLong()
                : part.order(ByteOrder.LITTLE_ENDIAN).getInt();
    }

    private ByteBuffer part(long length) {
        if (length < 0 || length > octets.remaining()) {
            throw new MalformedMessageException(
                    "a field of " + length + " octets where " + octets.remaining() + " are left");
        }
        ByteBuffer part = octets.slice().limit((int) length);
        octets.position(octets.position() + (int) length);
        return part;
    }

    private long varint() {
        long result = 0;
        for (int shift = 0; shift < Long.SIZE; shift += 7) {
            if (!octets.hasRemaining()) {
                throw new MalformedMessageException("the end within a number");
            }
            byte octet = octets.get();
            result |= (long) (octet & 0x7f) << shift;
            if (octet >= 0) {
                return result;
            }
        }
        throw new MalformedMessageException("a number of more than ten octets");
    }
}
