package dev.nodepath.linux.nftables;

import dev.nodepath.linux.netlink.NetlinkAttributes;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * An expression of a listed rule.
 *
 * @param name its kind, such as {@code payload}
 * @param data its attributes, {@code NFTA_<KIND>_*}
 */
record NftExpression(String name, NetlinkAttributes data) {
    /** No expression: nothing matches it. */
    static final NftExpression NONE = new NftExpression("", NetlinkAttributes.parse(ByteBuffer.allocate(0)));

    private static final byte[] NOTHING = {};

    static List<NftExpression> all(NetlinkAttributes list) {
        List<NftExpression> expressions = new ArrayList<>();
        for (ByteBuffer element : list.each(NftMessages.LIST_ELEMENT)) {
            NetlinkAttributes attributes = NetlinkAttributes.parse(element);
            expressions.add(
                    new NftExpression(attributes.text(NftExpressions.NAME), attributes.nested(NftExpressions.DATA)));
        }
        return expressions;
    }

    boolean is(String kind) {
        return name.equals(kind);
    }

    /** A number; 0 if it is not there. */
    int number(int attribute) {
        return data.networkNumber(attribute);
    }

    /** The value in an attribute; no bytes if there is none. */
    byte[] value(int attribute) {
        byte[] value = data.nested(attribute).bytes(NftMessages.DATA_VALUE);
        return value == null ? NOTHING : value;
    }

    /** Whether it compares the first register with a value. */
    boolean isCompare(int operator) {
        return is("cmp") && number(1) == NftExpressions.REGISTER && number(2) == operator;
    }

    /** Whether it compares the first register with this value. */
    boolean isCompare(int operator, byte[] value) {
        return isCompare(operator) && Arrays.equals(value(3), value);
    }

    /** Whether it masks the first register and inverts bits. */
    boolean isBitwise() {
        return is("bitwise")
                && number(1) == NftExpressions.REGISTER
                && number(2) == NftExpressions.REGISTER
                && number(6) == 0
                && data.has(4)
                && data.has(5);
    }

    /** Whether it masks the first register. */
    boolean isMask(byte[] mask) {
        return isBitwise() && Arrays.equals(value(4), mask) && Arrays.equals(value(5), new byte[mask.length]);
    }

    /** Whether it loads a property of the packet, which is not in its headers. */
    boolean isMeta(int key, int register) {
        return is("meta") && number(1) == register && number(2) == key && !data.has(3);
    }

    /** Whether it sets a property of the packet. */
    boolean setsMeta(int key, int register) {
        return is("meta") && number(2) == key && number(3) == register;
    }

    boolean isPayload(int base, int offset, int length, int register) {
        return is("payload")
                && number(1) == register
                && number(2) == base
                && number(3) == offset
                && number(4) == length;
    }
}
