package dev.nodepath.apiserver.schema;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.ByteArrayOutputStream;

/** A message in the wire format of Protocol Buffers. Fields are written in the order of the calls. */
final class ProtobufMessage {
    private static final int VARINT = 0;
    private static final int BYTES = 2;
    private static final int PAYLOAD_BITS = 7;
    private static final int PAYLOAD = 0x7f;
    private static final int MORE = 0x80;

    private final ByteArrayOutputStream out = new ByteArrayOutputStream();

    /** Writes a text, unless it is empty. */
    ProtobufMessage text(int field, String value) {
        return value.isEmpty() ? this : bytes(field, value.getBytes(UTF_8));
    }

    /** Writes a flag, unless it is false. */
    ProtobufMessage flag(int field, boolean value) {
        if (value) {
            varint((long) field << 3 | VARINT);
            varint(1);
        }
        return this;
    }

    /** Writes a message, even an empty one. */
    ProtobufMessage message(int field, ProtobufMessage value) {
        return bytes(field, value.toByteArray());
    }

    byte[] toByteArray() {
        return out.toByteArray();
    }

    private ProtobufMessage bytes(int field, byte[] value) {
        varint((long) field << 3 | BYTES);
        varint(value.length);
        out.writeBytes(value);
        return this;
    }

    private void varint(long value) {
        long rest = value;
        while (rest > PAYLOAD) {
            out.write((int) (rest & PAYLOAD) | MORE);
            rest >>>= PAYLOAD_BITS;
        }
        out.write((int) rest);
    }
}
