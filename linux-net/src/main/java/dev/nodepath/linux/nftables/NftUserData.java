package dev.nodepath.linux.nftables;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Data that {@code nft} stores with an object for its listings: values with a type and a length, one byte each ({@code
 * libnftnl/udata.h}). The kernel does not look at it.
 */
final class NftUserData {
    /** Of tables, chains, rules and elements. */
    private static final int COMMENT = 0;

    private static final int SET_KEY_ORDER = 0;
    private static final int SET_DATA_ORDER = 1;
    private static final int SET_KEY_TYPE_OF = 3;
    private static final int SET_DATA_TYPE_OF = 4;
    private static final int SET_COMMENT = 7;
    private static final int ELEMENT_FLAGS = 1;
    private static final int ELEMENT_OPEN_INTERVAL = 1;
    private static final int ORDER_NONE = 0;
    private static final int ORDER_HOST = 1;
    private static final int ORDER_NETWORK = 2;

    private static final int COMMENT_BYTES_MAX = 127;

    private NftUserData() {}

    /**
     * The comment of a table, chain, rule or element; empty for none.
     *
     * @throws IllegalArgumentException if it has more than 127 bytes
     */
    static Optional<byte[]> comment(String comment) {
        return comment.isEmpty() ? Optional.empty() : Optional.of(text(COMMENT, comment));
    }

    /** Marks the beginning of a range that nothing ends. */
    static byte[] openInterval() {
        return number(ELEMENT_FLAGS, ELEMENT_OPEN_INTERVAL);
    }

    /**
     * The byte order of keys and data, and the comment of a set. A concatenation with an integer has {@code typeof}
     * too: {@code nft} takes a number without a fixed size only there.
     */
    static byte[] set(List<NftDatatype> key, List<NftDatatype> data, String comment) {
        ByteArrayOutputStream all = new ByteArrayOutputStream();
        all.writeBytes(number(SET_KEY_ORDER, order(key)));
        if (!data.isEmpty() && !data.contains(NftDatatype.VERDICT)) {
            all.writeBytes(number(SET_DATA_ORDER, order(data)));
        }
        if (key.size() > 1 && key.contains(NftDatatype.INTEGER)) {
            all.writeBytes(NftTypeOf.concatenation(SET_KEY_TYPE_OF, key));
            all.writeBytes(NftTypeOf.concatenation(SET_DATA_TYPE_OF, data));
        }
        if (!comment.isEmpty()) {
            all.writeBytes(text(SET_COMMENT, comment));
        }
        return all.toByteArray();
    }

    /** The comment of a table, chain, rule or element; empty if it has none. */
    static String comment(byte @Nullable [] userData) {
        return text(userData, COMMENT);
    }

    /** The comment of a set; empty if it has none. */
    static String setComment(byte @Nullable [] userData) {
        return text(userData, SET_COMMENT);
    }

    private static int order(List<NftDatatype> fields) {
        if (fields.size() > 1) {
            return ORDER_NONE;
        }
        return switch (fields.get(0)) {
            case INTEGER, CLASSID, IFNAME -> ORDER_HOST;
            default -> ORDER_NETWORK;
        };
    }

    static byte[] number(int type, int value) {
        return ByteBuffer.allocate(6)
                .order(ByteOrder.nativeOrder())
                .put((byte) type)
                .put((byte) 4)
                .putInt(value)
                .array();
    }

    private static byte[] text(int type, String text) {
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        if (bytes.length > COMMENT_BYTES_MAX) {
            throw new IllegalArgumentException(
                    "comment: " + bytes.length + " bytes (expected: at most " + COMMENT_BYTES_MAX + ")");
        }
        return ByteBuffer.allocate(bytes.length + 3)
                .put((byte) type)
                .put((byte) (bytes.length + 1))
                .put(bytes)
                .array();
    }

    private static String text(byte @Nullable [] userData, int type) {
        if (userData == null) {
            return "";
        }
        int at = 0;
        while (at + 2 <= userData.length) {
            int end = Math.min(userData.length, at + 2 + (userData[at + 1] & 0xFF));
            if (userData[at] == type) {
                String text = new String(Arrays.copyOfRange(userData, at + 2, end), StandardCharsets.UTF_8);
                return text.endsWith("\0") ? text.substring(0, text.length() - 1) : text;
            }
            at = end;
        }
        return "";
    }
}
