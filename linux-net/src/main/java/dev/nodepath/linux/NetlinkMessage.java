package dev.nodepath.linux;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * A message from the kernel.
 *
 * @param payload everything behind the 16 bytes of the header, in host byte order, from position 0
 */
record NetlinkMessage(int type, int flags, ByteBuffer payload) {

    /** The attributes behind a family header of this length. */
    NetlinkAttributes attributes(int headerBytes) {
        if (payload.limit() < headerBytes) {
            throw new IllegalArgumentException("netlink message of type " + type + ": " + payload.limit()
                    + " bytes (expected: at least " + headerBytes + ")");
        }
        ByteBuffer rest = payload.slice(headerBytes, payload.limit() - headerBytes);
        return NetlinkAttributes.parse(rest.order(ByteOrder.nativeOrder()));
    }
}
