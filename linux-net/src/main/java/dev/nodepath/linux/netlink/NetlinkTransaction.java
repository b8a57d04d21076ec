package dev.nodepath.linux.netlink;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * Messages for one datagram. Each gets a sequence number of its own, so that a refusal names its message. The bytes are
 * kept, not the requests: a transaction may have a hundred thousand messages.
 */
public final class NetlinkTransaction {
    private static final int FLAGS_OFFSET = 6;
    private static final int SEQUENCE_OFFSET = 8;
    private static final int INITIAL_BYTES = 4096;

    private ByteBuffer buffer = ByteBuffer.allocate(INITIAL_BYTES).order(ByteOrder.nativeOrder());
    private int messages;
    private int acknowledged;

    /** Appends a message, and returns its number, from 0. */
    public int add(NetlinkRequest request) {
        byte[] message = request.toBytes(0);
        if (buffer.remaining() < message.length) {
            int capacity = Math.max(buffer.capacity() * 2, buffer.position() + message.length);
            buffer = ByteBuffer.wrap(Arrays.copyOf(buffer.array(), capacity))
                    .order(ByteOrder.nativeOrder())
                    .position(buffer.position());
        }
        buffer.put(message);
        if ((buffer.getShort(buffer.position() - message.length + FLAGS_OFFSET) & NetlinkRequest.ACK) != 0) {
            acknowledged = messages;
        }
        return messages++;
    }

    /** The number of messages. */
    public int messages() {
        return messages;
    }

    /** The number of the last message that asks for an acknowledgement. */
    int acknowledged() {
        return acknowledged;
    }

    /** The bytes of the messages, each with its header, in their order. */
    public List<ByteBuffer> each() {
        List<ByteBuffer> each = new ArrayList<>(messages);
        for (int at = 0; at < buffer.position(); at += NetlinkAttributes.aligned(buffer.getInt(at))) {
            each.add(buffer.slice(at, buffer.getInt(at)).order(ByteOrder.nativeOrder()));
        }
        return each;
    }

    /** The length of all messages, in bytes. */
    public int length() {
        return buffer.position();
    }

    /** The datagram; the first message gets this sequence number, the others the following ones. */
    byte[] toBytes(int firstSequence) {
        int sequence = firstSequence;
        for (int at = 0; at < buffer.position(); at += NetlinkAttributes.aligned(buffer.getInt(at))) {
            buffer.putInt(at + SEQUENCE_OFFSET, sequence++);
        }
        return Arrays.copyOf(buffer.array(), buffer.position());
    }
}
