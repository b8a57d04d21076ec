package dev.nodepath.linux.nftables;

import dev.nodepath.linux.address.IpFamily;
import java.util.List;

/** A field of a packet that rules look at. */
public enum NftField {
    SOURCE_ADDRESS("saddr"),
    DESTINATION_ADDRESS("daddr"),
    /** The transport protocol. */
    PROTOCOL("meta l4proto"),
    /** The destination port of TCP, UDP or SCTP. */
    DESTINATION_PORT("th dport"),
    /** The name of the link that a packet was received through. */
    INPUT_INTERFACE("iifname"),
    /** The hardware address that a frame comes from. */
    ETHER_SOURCE("ether saddr"),
    /** The IPv6 source address in a table of both IP versions; there {@link #SOURCE_ADDRESS} is the IPv4 one. */
    IPV6_SOURCE_ADDRESS("ip6 saddr"),
    /** The sender's hardware address in an ARP packet (RFC 826). */
    ARP_SENDER_ETHER("arp saddr ether"),
    /** The sender's IPv4 address in an ARP packet. */
    ARP_SENDER_ADDRESS("arp saddr ip"),
    /**
     * The target address of a neighbour solicitation or advertisement (RFC 4861 sections 4.3 and 4.4). A match of one
     * of these messages must precede it. {@code nft} 1.0.6 has no word for it: it lists the field in raw form, and
     * cannot load it.
     */
    NEIGHBOUR_TARGET("@th,64,128"),
    /** The hardware address in the first option of such a message; a packet without an option does not match. */
    NEIGHBOUR_ETHER("@th,208,48");

    /** The fields that are addresses. */
    public static final List<NftField> ADDRESSES = List.of(SOURCE_ADDRESS, DESTINATION_ADDRESS);

    private final String text;

    NftField(String text) {
        this.text = text;
    }

    /** Its type in a table of one IP version. */
    public NftDatatype type(IpFamily family) {
        return switch (this) {
            case SOURCE_ADDRESS, DESTINATION_ADDRESS ->
                family == IpFamily.IPV4 ? NftDatatype.IPV4_ADDR : NftDatatype.IPV6_ADDR;
            case PROTOCOL -> NftDatatype.INET_PROTO;
            case DESTINATION_PORT -> NftDatatype.INET_SERVICE;
            case INPUT_INTERFACE -> NftDatatype.IFNAME;
            case ETHER_SOURCE, ARP_SENDER_ETHER, NEIGHBOUR_ETHER -> NftDatatype.ETHER_ADDR;
            case ARP_SENDER_ADDRESS -> NftDatatype.IPV4_ADDR;
            case IPV6_SOURCE_ADDRESS, NEIGHBOUR_TARGET -> NftDatatype.IPV6_ADDR;
        };
    }

    /** As in {@code nft}: {@code ip6 daddr}. */
    String text(IpFamily family) {
        boolean address = this == SOURCE_ADDRESS || this == DESTINATION_ADDRESS;
        return address ? NftFamily.of(family) + " " + text : text;
    }
}
