package dev.nodepath.linux.netlink;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The attributes of a netlink message, by type; of several with one type the last. */
public final class NetlinkAttributes {
    private static final int HEADER_BYTES = 4;
    /** Without the bits for "nested" and "network byte order". */
    private static final int TYPE_MASK = 0x3FFF;

    private final Map<Integer, ByteBuffer> values = new HashMap<>();
    private final List<Map.Entry<Integer, ByteBuffer>> all = new ArrayList<>();

    private NetlinkAttributes() {}

    /**
     * Reads all attributes from the buffer's position to its limit.
     *
     * @throws IllegalArgumentException if one is shorter than its header or reaches beyond the end
     */
    public static NetlinkAttributes parse(ByteBuffer source) {
        NetlinkAttributes attributes = new NetlinkAttributes();
        ByteBuffer buffer = source.duplicate().order(ByteOrder.nativeOrder());
        while (buffer.remaining() >= HEADER_BYTES) {
            int start = buffer.position();
            int length = buffer.getShort() & 0xFFFF;
            int type = buffer.getShort() & TYPE_MASK;
            if (length < HEADER_BYTES || length > buffer.limit() - start) {
                throw new IllegalArgumentException("length of netlink attribute " + type + ": " + length
                        + " (expected: 4 to " + (buffer.limit() - start) + ")");
            }
            ByteBuffer value =
                    buffer.slice(buffer.position(), length - HEADER_BYTES).order(ByteOrder.nativeOrder());
            attributes.values.put(type, value);
            attributes.all.add(Map.entry(type, value));
            buffer.position(Math.min(buffer.limit(), start + aligned(length)));
        }
        return attributes;
    }

    /** The next multiple of 4. */
    public static int aligned(int length) {
        return (length + 3) & ~3;
    }

    public boolean has(int type) {
        return values.containsKey(type);
    }

    /** The bytes of an attribute; null if it is not there. */
    public byte @Nullable [] bytes(int type) {
        ByteBuffer value = values.get(type);
        if (value == null) {
            return null;
        }
        byte[] bytes = new byte[value.remaining()];
        value.get(value.position(), bytes);
        return bytes;
    }

    /** The values of every attribute of this type, in their order. */
    public List<ByteBuffer> each(int type) {
        List<ByteBuffer> found = new ArrayList<>();
        for (Map.Entry<Integer, ByteBuffer> attribute : all) {
            if (attribute.getKey() == type) {
                found.add(attribute.getValue());
            }
        }
        return found;
    }

    /** A number of 1, 2 or 4 bytes; 0 if it is not there. */
    public int number(int type) {
        ByteBuffer value = values.get(type);
        if (value == null) {
            return 0;
        }
        return switch (value.remaining()) {
            case 1 -> value.get(0) & 0xFF;
            case 2 -> value.getShort(0) & 0xFFFF;
            case 4 -> value.getInt(0);
            default ->
                throw new IllegalArgumentException(
                        "length of netlink number " + type + ": " + value.remaining() + " (expected: 1, 2 or 4)");
        };
    }

    /** A number of 4 bytes in network order, as netfilter writes them; 0 if it is absent. */
    public int networkNumber(int type) {
        ByteBuffer value = values.get(type);
        if (value == null) {
            return 0;
        }
        if (value.remaining() != Integer.BYTES) {
            throw new IllegalArgumentException(
                    "length of netlink number " + type + ": " + value.remaining() + " (expected: 4)");
        }
        return Integer.reverseBytes(value.getInt(0));
    }

    /** A text up to its first zero byte; empty if it is not there. */
    public String text(int type) {
        byte[] bytes = bytes(type);
        if (bytes == null) {
            return "";
        }
        int length = 0;
        while (length < bytes.length && bytes[length] != 0) {
            length++;
        }
        return new String(bytes, 0, length, StandardCharsets.UTF_8);
    }

    /** The attributes inside an attribute; none if it is not there. */
    public NetlinkAttributes nested(int type) {
        ByteBuffer value = values.get(type);
        return value == null ? new NetlinkAttributes() : parse(value);
    }
}
