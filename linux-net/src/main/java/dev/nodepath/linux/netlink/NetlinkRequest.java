package dev.nodepath.linux.netlink;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/**
 * A netlink request being written: header, family header, then attributes, all in host byte order and aligned to 4
 * bytes ({@code include/uapi/linux/netlink.h}).
 */
public final class NetlinkRequest {
    static final int REQUEST = 0x1;
    public static final int ACK = 0x4;
    static final int DUMP = 0x300;
    public static final int REPLACE = 0x100;
    public static final int EXCL = 0x200;
    public static final int CREATE = 0x400;
    public static final int NESTED = 0x8000;

    /** The largest request: a rule whose table, chain and jump target have names of 255 bytes takes some 1500. */
    private static final int SIZE_MAX_BYTES = 4096;

    private static final int HEADER_BYTES = 16;
    private static final int SEQUENCE_OFFSET = 8;

    private final ByteBuffer buffer = ByteBuffer.allocate(SIZE_MAX_BYTES).order(ByteOrder.nativeOrder());
    private final boolean dump;

    private NetlinkRequest(int type, int flags, boolean dump) {
        this.dump = dump;
        buffer.putInt(0).putShort((short) type).putShort((short) flags).putLong(0);
    }

    /** A dump request: lists all entries of a kind. */
    public static NetlinkRequest dump(int type) {
        return new NetlinkRequest(type, REQUEST | DUMP, true);
    }

    /** An acknowledged request: a change, or a query for one entry. */
    public static NetlinkRequest acknowledged(int type, int flags) {
        return new NetlinkRequest(type, REQUEST | ACK | flags, false);
    }

    /** A part of a transaction. A flag requests its acknowledgement. */
    public static NetlinkRequest plain(int type, int flags) {
        return new NetlinkRequest(type, REQUEST | flags, false);
    }

    boolean isDump() {
        return dump;
    }

    public NetlinkRequest putByte(int value) {
        buffer.put((byte) value);
        return this;
    }

    public NetlinkRequest putShort(int value) {
        buffer.putShort((short) value);
        return this;
    }

    public NetlinkRequest putInt(int value) {
        buffer.putInt(value);
        return this;
    }

    public NetlinkRequest attribute(int type, byte[] value) {
        int start = begin(type);
        buffer.put(value);
        return end(start);
    }

    public NetlinkRequest attribute(int type, int value) {
        int start = begin(type);
        buffer.putInt(value);
        return end(start);
    }

    public NetlinkRequest byteAttribute(int type, int value) {
        int start = begin(type);
        buffer.put((byte) value);
        return end(start);
    }

    /** A text with the zero byte that the kernel expects behind it. */
    public NetlinkRequest attribute(int type, String value) {
        int start = begin(type);
        buffer.put(value.getBytes(StandardCharsets.UTF_8)).put((byte) 0);
        return end(start);
    }

    /** Opens a nested attribute. Pass the result to {@link #end} to close it. */
    public int begin(int type) {
        int start = buffer.position();
        buffer.putShort((short) 0).putShort((short) type);
        return start;
    }

    public NetlinkRequest end(int start) {
        buffer.putShort(start, (short) (buffer.position() - start));
        while (buffer.position() % 4 != 0) {
            buffer.put((byte) 0);
        }
        return this;
    }

    /** The whole message. The port ID is 0; the kernel fills it in. */
    public byte[] toBytes(int sequence) {
        if (buffer.position() < HEADER_BYTES) {
            throw new IllegalStateException("netlink request without header");
        }
        buffer.putInt(0, buffer.position()).putInt(SEQUENCE_OFFSET, sequence);
        return Arrays.copyOf(buffer.array(), buffer.position());
    }
}
