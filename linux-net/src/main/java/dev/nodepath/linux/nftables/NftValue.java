package dev.nodepath.linux.nftables;

import dev.nodepath.linux.address.IpAddress;
import dev.nodepath.linux.address.MacAddress;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HexFormat;
import org.jspecify.annotations.Nullable;

/**
 * A value as registers hold it: a key of a set, or data of a map. Each field of a concatenation begins at a multiple of
 * 4 bytes. Addresses and ports are in network order, all other numbers in host order.
 */
public final class NftValue implements NftData, Comparable<NftValue> {
    private final byte[] bytes;

    private NftValue(byte[] bytes) {
        this.bytes = bytes;
    }

    /** The value of these bytes, which are not copied. */
    public static NftValue of(byte[] bytes) {
        return new NftValue(bytes);
    }

    /** An address. */
    public static NftValue of(IpAddress address) {
        return new NftValue(address.toBytes());
    }

    /** A number of 4 bytes, such as an index of a random choice. */
    public static NftValue of(int number) {
        return new NftValue(ByteBuffer.allocate(4)
                .order(ByteOrder.nativeOrder())
                .putInt(number)
                .array());
    }

    /** A hardware address. */
    public static NftValue of(MacAddress address) {
        return new NftValue(address.toBytes());
    }

    /** The name of a link, at most 15 bytes. */
    public static NftValue ofLink(String name) {
        return new NftValue(Arrays.copyOf(name.getBytes(StandardCharsets.UTF_8), NftDatatype.IFNAME.bytes()));
    }

    /** A port. */
    public static NftValue ofPort(int port) {
        return new NftValue(ByteBuffer.allocate(2).putShort((short) port).array());
    }

    /** A transport protocol and a port. */
    public static NftValue of(int protocol, int port) {
        return new NftValue(ByteBuffer.allocate(8)
                .put((byte) protocol)
                .putShort(4, (short) port)
                .array());
    }

    /** An address and a port. */
    public static NftValue of(IpAddress address, int port) {
        byte[] first = address.toBytes();
        return new NftValue(ByteBuffer.allocate(first.length + 4)
                .put(first)
                .putShort((short) port)
                .array());
    }

    /** An address, a transport protocol and a port. */
    public static NftValue of(IpAddress address, int protocol, int port) {
        return of(address).and(of(protocol, port));
    }

    /** The concatenation of two values. */
    public NftValue and(NftValue next) {
        int start = padded(bytes.length);
        byte[] both = Arrays.copyOf(bytes, start + padded(next.bytes.length));
        System.arraycopy(next.bytes, 0, both, start, next.bytes.length);
        return new NftValue(both);
    }

    private static int padded(int bytes) {
        return (bytes + 3) & ~3;
    }

    /** The bytes themselves, for writing. */
    public byte[] bytes() {
        return bytes;
    }

    @Override
    public int compareTo(NftValue other) {
        return Arrays.compareUnsigned(bytes, other.bytes);
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof NftValue that && Arrays.equals(bytes, that.bytes);
    }

    /**
     * FNV-1a of 64 bits (Fowler, Noll, Vo), folded. {@link Arrays#hashCode} gives addresses in a row few different
     * values, with which maps of ten thousands of them take seconds.
     */
    @Override
    public int hashCode() {
        long hash = 0xCBF2_9CE4_8422_2325L;
        for (byte next : bytes) {
            hash = (hash ^ (next & 0xFF)) * 0x100_0000_01B3L;
        }
        return Long.hashCode(hash);
    }

    /** The bytes in hexadecimal; {@link NftText} knows the types. */
    @Override
    public String toString() {
        return HexFormat.of().formatHex(bytes);
    }
}
