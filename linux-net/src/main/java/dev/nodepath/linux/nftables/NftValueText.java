package dev.nodepath.linux.nftables;

import dev.nodepath.linux.address.IpAddress;
import dev.nodepath.linux.address.MacAddress;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;

/** Values of sets and maps as {@code nft} prints them: {@code 10.96.0.1 . tcp . 80}. */
final class NftValueText {
    private NftValueText() {}

    /** A value of these fields. */
    static String of(List<NftDatatype> fields, NftValue value) {
        byte[] bytes = value.bytes();
        StringBuilder text = new StringBuilder();
        int at = 0;
        for (NftDatatype field : fields) {
            text.append(at == 0 ? "" : " . ").append(field(field, Arrays.copyOfRange(bytes, at, at + field.bytes())));
            at += field.paddedBytes();
        }
        return text.toString();
    }

    private static String field(NftDatatype type, byte[] bytes) {
        return switch (type) {
            case INTEGER ->
                Integer.toUnsignedString(
                        ByteBuffer.wrap(bytes).order(ByteOrder.nativeOrder()).getInt());
            case IPV4_ADDR, IPV6_ADDR -> IpAddress.of(bytes).toString();
            case ETHER_ADDR -> MacAddress.of(bytes).toString();
            case IFNAME -> '"' + new String(bytes, StandardCharsets.UTF_8).replace("\0", "") + '"';
            case INET_PROTO -> new NftStatement.Protocol(bytes[0] & 0xFF).name();
            case INET_SERVICE -> String.valueOf(ByteBuffer.wrap(bytes).getShort() & 0xFFFF);
            case CLASSID -> {
                int number =
                        ByteBuffer.wrap(bytes).order(ByteOrder.nativeOrder()).getInt();
                yield Integer.toHexString(number >>> 16) + ":" + Integer.toHexString(number & 0xFFFF);
            }
            case VERDICT -> throw new IllegalArgumentException("type of a value: " + type + " (expected: no verdict)");
        };
    }
}
