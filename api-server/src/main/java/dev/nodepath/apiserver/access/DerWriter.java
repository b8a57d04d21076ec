package dev.nodepath.apiserver.access;

import java.io.ByteArrayOutputStream;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;

/** Values in ASN.1's distinguished encoding (ITU-T X.690), as far as a certificate needs them. */
final class DerWriter {
    private static final int INTEGER = 0x02;
    private static final int BIT_STRING = 0x03;
    private static final int OCTET_STRING = 0x04;
    private static final int OBJECT_IDENTIFIER = 0x06;
    private static final int UTF8_STRING = 0x0c;
    private static final int GENERALIZED_TIME = 0x18;
    private static final int SEQUENCE = 0x30;
    private static final int SET = 0x31;
    private static final DateTimeFormatter TIME =
            DateTimeFormatter.ofPattern("yyyyMMddHHmmss'Z'").withZone(ZoneOffset.UTC);

    private DerWriter() {}

    static byte[] sequence(byte[]... parts) {
        return tagged(SEQUENCE, joined(parts));
    }

    static byte[] set(byte[]... parts) {
        return tagged(SET, joined(parts));
    }

    static byte[] integer(BigInteger value) {
        return tagged(INTEGER, value.toByteArray());
    }

    static byte[] bool(boolean value) {
        return tagged(0x01, new byte[] {(byte) (value ? 0xff : 0)});
    }

    static byte[] bits(byte[] octets, int unusedBits) {
        return tagged(BIT_STRING, joined(new byte[] {(byte) unusedBits}, octets));
    }

    static byte[] octets(byte[] octets) {
        return tagged(OCTET_STRING, octets);
    }

    static byte[] text(String text) {
        return tagged(UTF8_STRING, text.getBytes(StandardCharsets.UTF_8));
    }

    static byte[] time(Instant time) {
        return tagged(GENERALIZED_TIME, TIME.format(time).getBytes(StandardCharsets.US_ASCII));
    }

    /** An object identifier in dotted form. */
    static byte[] identifier(String dotted) {
        String[] parts = dotted.split("\\.", -1);
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        out.write(Integer.parseInt(parts[0]) * 40 + Integer.parseInt(parts[1]));
        for (int i = 2; i < parts.length; i++) {
            int value = Integer.parseInt(parts[i]);
            for (int shift = 28; shift > 0; shift -= 7) {
                if (value >>> shift != 0) {
                    out.write(((value >>> shift) & 0x7f) | 0x80);
                }
            }
            out.write(value & 0x7f);
        }
        return tagged(OBJECT_IDENTIFIER, out.toByteArray());
    }

    /** A value with a tag; longer ones get their length in two to four octets. */
    static byte[] tagged(int tag, byte[] value) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        out.write(tag);
        if (value.length < 0x80) {
            out.write(value.length);
        } else {
            byte[] length = BigInteger.valueOf(value.length).toByteArray();
            int skipped = length[0] == 0 ? 1 : 0;
            out.write(0x80 | (length.length - skipped));
            out.write(length, skipped, length.length - skipped);
        }
        out.writeBytes(value);
        return out.toByteArray();
    }

    private static byte[] joined(byte[]... parts) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        for (byte[] part : parts) {
            out.writeBytes(part);
        }
        return out.toByteArray();
    }
}
