package dev.nodepath.linux.netlink;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;

/**
 * A message from the kernel.
 *
 * @param sequence of the request that it answers
 * @param payload everything behind the 16 bytes of the header, in host byte order, from position 0
 */
public record NetlinkMessage(int type, int flags, int sequence, ByteBuffer payload) {

    private static final int HEADER_BYTES = 16;

    /**
     * The messages of a datagram.
     *
     * @throws IllegalArgumentException if it does not consist of whole messages
     */
    public static List<NetlinkMessage> all(ByteBuffer datagram) {
        List<NetlinkMessage> messages = new ArrayList<>();
        ByteBuffer buffer = datagram.order(ByteOrder.nativeOrder());
        while (buffer.remaining() > 0) {
            int start = buffer.position();
            int length = buffer.remaining() < HEADER_BYTES ? 0 : buffer.getInt(start);
            if (length < HEADER_BYTES || length > buffer.remaining()) {
                throw new IllegalArgumentException(
                        "netlink message length: " + length + " (expected: 16 to " + buffer.remaining() + ")");
            }
            ByteBuffer payload = buffer.slice(start + HEADER_BYTES, length - HEADER_BYTES);
            messages.add(new NetlinkMessage(
                    buffer.getShort(start + 4) & 0xFFFF,
                    buffer.getShort(start + 6) & 0xFFFF,
                    buffer.getInt(start + 8),
                    payload.order(ByteOrder.nativeOrder())));
            buffer.position(start + Math.min(buffer.remaining(), NetlinkAttributes.aligned(length)));
        }
        return messages;
    }

    /** The attributes behind a family header of this length. */
    public NetlinkAttributes attributes(int headerBytes) {
        if (payload.limit() < headerBytes) {
            throw new IllegalArgumentException("netlink message of type " + type + ": " + payload.limit()
                    + " bytes (expected: at least " + headerBytes + ")");
        }
        ByteBuffer rest = payload.slice(headerBytes, payload.limit() - headerBytes);
        return NetlinkAttributes.parse(rest.order(ByteOrder.nativeOrder()));
    }
}
