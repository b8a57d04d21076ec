package dev.nodepath.linux.nftables;

import dev.nodepath.linux.address.IpFamily;
import java.util.List;

/** Where packets have their fields, and the numbers in them. */
final class NftHeaders {
    /** {@code ETH_P_ARP}. */
    private static final byte[] ARP = {0x08, 0x06};

    private static final byte[] ANY = {};

    /** The fields that have the same place in each table. */
    static final List<NftField> PLACED = List.of(
            NftField.DESTINATION_PORT,
            NftField.ETHER_SOURCE,
            NftField.IPV6_SOURCE_ADDRESS,
            NftField.ARP_SENDER_ETHER,
            NftField.ARP_SENDER_ADDRESS,
            NftField.NEIGHBOUR_TARGET,
            NftField.NEIGHBOUR_ETHER);

    private NftHeaders() {}

    /**
     * Where a field begins.
     *
     * @param base a header ({@code NFT_PAYLOAD_*})
     * @param offset in bytes
     */
    record Place(int base, int offset) {}

    /** The place of a field that is {@link #PLACED}. */
    static Place place(NftField field) {
        return switch (field) {
            case DESTINATION_PORT -> new Place(NftExpressions.BASE_TRANSPORT, NftExpressions.PORT_OFFSET);
            case ETHER_SOURCE -> new Place(NftExpressions.BASE_LINK, NftExpressions.ETHER_SOURCE_OFFSET);
            case IPV6_SOURCE_ADDRESS -> new Place(NftExpressions.BASE_NETWORK, 8);
            case ARP_SENDER_ETHER -> new Place(NftExpressions.BASE_NETWORK, 8);
            case ARP_SENDER_ADDRESS -> new Place(NftExpressions.BASE_NETWORK, 14);
            case NEIGHBOUR_TARGET -> new Place(NftExpressions.BASE_TRANSPORT, 8);
            case NEIGHBOUR_ETHER -> new Place(NftExpressions.BASE_TRANSPORT, 26);
            default -> throw new IllegalArgumentException("field: " + field + " (expected: one of a header)");
        };
    }

    /** The offset of an address in the IP header, in bytes. */
    static int offset(NftField field, IpFamily ip) {
        if (field == NftField.SOURCE_ADDRESS) {
            return ip == IpFamily.IPV4 ? 12 : 8;
        }
        return ip == IpFamily.IPV4 ? 16 : 24;
    }

    /** The type of frames that hold packets of an IP version ({@code ETH_P_IP}, {@code ETH_P_IPV6}). */
    static byte[] etherType(IpFamily ip) {
        return ip == IpFamily.IPV4 ? new byte[] {0x08, 0x00} : new byte[] {(byte) 0x86, (byte) 0xDD};
    }

    /** The type of the frames that have a field; no bytes for a field that all or several of them may have. */
    static byte[] etherType(NftField field, IpFamily ip) {
        return switch (field) {
            case SOURCE_ADDRESS, DESTINATION_ADDRESS -> etherType(ip);
            case IPV6_SOURCE_ADDRESS, NEIGHBOUR_TARGET, NEIGHBOUR_ETHER -> etherType(IpFamily.IPV6);
            case ARP_SENDER_ETHER, ARP_SENDER_ADDRESS -> ARP;
            case PROTOCOL, DESTINATION_PORT, INPUT_INTERFACE, ETHER_SOURCE -> ANY;
        };
    }

    /** The mask of a prefix: so many ones, then zeros. */
    static byte[] mask(IpFamily ip, int prefix) {
        byte[] mask = new byte[ip.bits() / 8];
        for (int bit = 0; bit < prefix; bit++) {
            mask[bit / 8] |= (byte) (0x80 >>> (bit % 8));
        }
        return mask;
    }
}
