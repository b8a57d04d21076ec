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
    static final int ACK = 0x4;
    static final int DUMP = 0x300;
    public static final int REPLACE = 0x100;
    public static final int EXCL = 0x200;
    public static final int CREATE = 0x400;
    public static final int NESTED = 0x8000;

    /** Enough for most requests; the buffer grows for others. */
    private static final int SIZE_BYTES = 512;

    /** The most bytes in one attribute: its length has 16 bits. */
    public static final int ATTRIBUTE_BYTES_MAX = 65_535;

    private static final int HEADER_BYTES = 16;
    private static final int FLAGS_OFFSET = 6;
    private static final int SEQUENCE_OFFSET = 8;

    private ByteBuffer buffer = ByteBuffer.allocate(SIZE_BYTES).order(ByteOrder.nativeOrder());
    private final boolean dump;

    private NetlinkRequest(int type, int flags, boolean dump) {
        this.dump = dump;
        buffer.putInt(0).putShort((short) type).putShort((short) flags).putLong(0);
    }

    /** A dump request: lists all entries of a kind. */
    public static NetlinkRequest dump(int type) {
        return new NetlinkRequest(type, REQUEST | DUMP, true);
    }

    /** A query whose whole answer is one entry, or an error. */
    public static NetlinkRequest question(int type) {
        return new NetlinkRequest(type, REQUEST, false);
    }

    /** An acknowledged request: a change, or a query that may have no answer. */
    public static NetlinkRequest acknowledged(int type, int flags) {
        return new NetlinkRequest(type, REQUEST | ACK | flags, false);
    }

    /** A part of a transaction. A flag requests its acknowledgement. */
    public static NetlinkRequest plain(int type, int flags) {
        return new NetlinkRequest(type, REQUEST | flags, false);
    }

    /** Requests an acknowledgement. */
    public void acknowledge() {
        buffer.putShort(FLAGS_OFFSET, (short) (buffer.getShort(FLAGS_OFFSET) | ACK));
    }

    /** Whether the answer to a request that is no dump ends with its first message. */
    boolean isQuestion() {
        return !dump && (buffer.getShort(FLAGS_OFFSET) & ACK) == 0;
    }

    boolean isDump() {
        return dump;
    }

    public NetlinkRequest putByte(int value) {
        room(1).put((byte) value);
        return this;
    }

    public NetlinkRequest putShort(int value) {
        room(2).putShort((short) value);
        return this;
    }

    public NetlinkRequest putInt(int value) {
        room(4).putInt(value);
        return this;
    }

    public NetlinkRequest attribute(int type, byte[] value) {
        int start = begin(type);
        room(value.length).put(value);
        return end(start);
    }

    public NetlinkRequest attribute(int type, int value) {
        int start = begin(type);
        room(4).putInt(value);
        return end(start);
    }

    public NetlinkRequest byteAttribute(int type, int value) {
        int start = begin(type);
        room(1).put((byte) value);
        return end(start);
    }

    /** Two bytes, in the host's order. */
    public NetlinkRequest shortAttribute(int type, int value) {
        int start = begin(type);
        room(2).putShort((short) value);
        return end(start);
    }

    /** A text with the zero byte that the kernel expects behind it. */
    public NetlinkRequest attribute(int type, String value) {
        byte[] text = value.getBytes(StandardCharsets.UTF_8);
        int start = begin(type);
        room(text.length + 1).put(text).put((byte) 0);
        return end(start);
    }

    /** Opens a nested attribute. Pass the result to {@link #end} to close it. */
    public int begin(int type) {
        int start = buffer.position();
        room(4).putShort((short) 0).putShort((short) type);
        return start;
    }

    /**
     * Closes an attribute.
     *
     * @throws IllegalArgumentException if it is longer than {@link #ATTRIBUTE_BYTES_MAX}
     */
    public NetlinkRequest end(int start) {
        int length = buffer.position() - start;
        if (length > ATTRIBUTE_BYTES_MAX) {
            throw new IllegalArgumentException(
                    "netlink attribute: " + length + " bytes (expected: at most " + ATTRIBUTE_BYTES_MAX + ")");
        }
        buffer.putShort(start, (short) length);
        while (buffer.position() % 4 != 0) {
            room(1).put((byte) 0);
        }
        return this;
    }

    /** The length of the message so far, in bytes. */
    public int length() {
        return buffer.position();
    }

    private ByteBuffer room(int bytes) {
        if (buffer.remaining() < bytes) {
            int capacity = Math.max(buffer.capacity() * 2, buffer.position() + bytes);
            buffer = ByteBuffer.wrap(Arrays.copyOf(buffer.array(), capacity))
                    .order(ByteOrder.nativeOrder())
                    .position(buffer.position());
        }
        return buffer;
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
