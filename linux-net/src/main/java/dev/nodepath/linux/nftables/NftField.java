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
    DESTINATION_PORT("th dport");

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
        };
    }

    /** As in {@code nft}: {@code ip6 daddr}. */
    String text(IpFamily family) {
        boolean address = this == SOURCE_ADDRESS || this == DESTINATION_ADDRESS;
        return address ? NftFamily.of(family) + " " + text : text;
    }
}
