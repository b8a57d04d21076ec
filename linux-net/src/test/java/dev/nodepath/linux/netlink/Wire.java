package dev.nodepath.linux.netlink;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.HexFormat;

/** Bytes written down in tests: hex pairs with any white space, and comments from # to the end of a line. */
public final class Wire {
    private Wire() {}

    public static byte[] bytes(String text) {
        return HexFormat.of().parseHex(text.replaceAll("#[^\n]*", "").replaceAll("\\s", ""));
    }

    static ByteBuffer buffer(String text) {
        return ByteBuffer.wrap(bytes(text)).order(ByteOrder.nativeOrder());
    }

    /** A message in which only the payload matters. */
    public static NetlinkMessage message(String payload) {
        return new NetlinkMessage(0, 0, 0, buffer(payload));
    }
}
