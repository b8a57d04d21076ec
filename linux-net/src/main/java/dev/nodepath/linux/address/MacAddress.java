package dev.nodepath.linux.address;

import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.random.RandomGenerator;

/** An Ethernet hardware address of 48 bits. */
public record MacAddress(long bits) {
    /** The length in bytes. */
    public static final int LENGTH = 6;

    /** Checks that there are no more than 48 bits. */
    public MacAddress {
        if (bits >>> 48 != 0) {
            throw new IllegalArgumentException("MAC address has more than 48 bits");
        }
    }

    /**
     * Reads six pairs of hex digits with colons between them.
     *
     * @throws IllegalArgumentException if it is anything else; the message holds the text
     */
    public static MacAddress parse(String text) {
        if (!text.matches("([0-9a-fA-F]{2}:){5}[0-9a-fA-F]{2}")) {
            throw new IllegalArgumentException("\"" + text + "\" (expected: a MAC address such as 0a:58:0a:f4:01:01)");
        }
        return new MacAddress(HexFormat.fromHexDigitsToLong(text.replace(":", "")));
    }

    /** The address of six bytes. */
    public static MacAddress of(byte[] bytes) {
        if (bytes.length != LENGTH) {
            throw new IllegalArgumentException(bytes.length + " bytes of a MAC address (expected: 6)");
        }
        long bits = 0;
        for (byte part : bytes) {
            bits = bits << 8 | (part & 0xFF);
        }
        return new MacAddress(bits);
    }

    /** A random unicast address with the locally administered bit set (IEEE 802). */
    public static MacAddress random(RandomGenerator random) {
        long bits = random.nextLong() >>> 16;
        return new MacAddress((bits & ~(1L << 40)) | 1L << 41);
    }

    /** The IPv6 link-local address that the kernel makes of it (RFC 4291 appendix A): {@code fe80::} and 64 bits. */
    public IpAddress linkLocal() {
        long identifier = (((bits >>> 24) ^ (1L << 17)) << 40) | (0xFFFEL << 24) | (bits & 0xFF_FFFFL);
        return IpAddress.of(ByteBuffer.allocate(16)
                .putLong(0xFE80L << 48)
                .putLong(identifier)
                .array());
    }

    /** The six bytes, as they stand on the wire. */
    public byte[] toBytes() {
        return Arrays.copyOfRange(ByteBuffer.allocate(8).putLong(bits).array(), 2, 8);
    }

    @Override
    public String toString() {
        return HexFormat.ofDelimiter(":").formatHex(toBytes());
    }
}
