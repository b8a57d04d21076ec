package dev.nodepath.linux.nftables;

import java.io.ByteArrayOutputStream;
import java.util.List;

/**
 * Writes a set's fields as the expressions of {@code typeof} in its user data, the way {@code nft} 1.0.6 does ({@code
 * expr_build_udata} of nftables): values with a type and a length, nested.
 */
final class NftTypeOf {
    private static final int EXPRESSION = 0;
    private static final int CONTENT = 1;
    private static final int PAYLOAD = 7;
    private static final int CONCATENATION = 13;
    private static final int NUMBER_GENERATOR = 23;

    private static final int PAYLOAD_PROTOCOL = 0;
    private static final int PAYLOAD_FIELD = 1;
    private static final int GENERATOR_TYPE = 0;
    private static final int GENERATOR_MODULUS = 1;
    private static final int GENERATOR_OFFSET = 2;
    private static final int RANDOM = 1;
    /** Any number will do: it says nothing about the type. */
    private static final int MODULUS = 2;

    private NftTypeOf() {}

    /** The fields as one concatenation: addresses and ports of the destination, and random numbers. */
    static byte[] concatenation(int type, List<NftDatatype> fields) {
        ByteArrayOutputStream parts = new ByteArrayOutputStream();
        for (int i = 0; i < fields.size(); i++) {
            parts.writeBytes(value(i, field(fields.get(i))));
        }
        return value(type, expression(CONCATENATION, parts.toByteArray()));
    }

    /**
     * The numbers of protocols and fields are those of nftables ({@code enum proto_desc_id},
     * {@code enum ip_hdr_fields}).
     */
    private static byte[] field(NftDatatype field) {
        return switch (field) {
            case IPV4_ADDR -> payload(12, 12);
            case IPV6_ADDR -> payload(13, 9);
            case INET_SERVICE -> payload(11, 2);
            case INTEGER ->
                expression(
                        NUMBER_GENERATOR,
                        all(
                                NftUserData.number(GENERATOR_TYPE, RANDOM),
                                NftUserData.number(GENERATOR_MODULUS, MODULUS),
                                NftUserData.number(GENERATOR_OFFSET, 0)));
            case INET_PROTO, CLASSID, ETHER_ADDR, IFNAME, VERDICT ->
                throw new IllegalArgumentException(
                        "field of a concatenation: " + field + " (expected: an address, a port or an integer)");
        };
    }

    private static byte[] payload(int protocol, int field) {
        return expression(
                PAYLOAD, all(NftUserData.number(PAYLOAD_PROTOCOL, protocol), NftUserData.number(PAYLOAD_FIELD, field)));
    }

    private static byte[] expression(int kind, byte[] content) {
        return all(NftUserData.number(EXPRESSION, kind), value(CONTENT, content));
    }

    private static byte[] value(int type, byte[] content) {
        return all(new byte[] {(byte) type, (byte) content.length}, content);
    }

    private static byte[] all(byte[]... parts) {
        ByteArrayOutputStream all = new ByteArrayOutputStream();
        for (byte[] part : parts) {
            all.writeBytes(part);
        }
        return all.toByteArray();
    }
}
