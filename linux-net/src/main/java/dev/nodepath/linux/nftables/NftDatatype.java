package dev.nodepath.linux.nftables;

import org.jspecify.annotations.Nullable;

/**
 * A type of values in sets and maps. The kernel only compares the numbers; {@code nft} reads and prints values by them
 * ({@code enum datatypes} of nftables).
 */
public enum NftDatatype {
    INTEGER("integer", 4, 4),
    IPV4_ADDR("ipv4_addr", 7, 4),
    IPV6_ADDR("ipv6_addr", 8, 16),
    ETHER_ADDR("ether_addr", 9, 6),
    INET_PROTO("inet_proto", 12, 1),
    INET_SERVICE("inet_service", 13, 2),
    /** A packet's priority. */
    CLASSID("classid", 23, 4),
    /** The name of a link, with zeros behind it. */
    IFNAME("ifname", 41, 16),
    /** The content of a verdict map ({@code NFT_DATA_VERDICT}). */
    VERDICT("verdict", 0xffff_ff00, 16);

    private final String text;
    private final int number;
    private final int bytes;

    NftDatatype(String text, int number, int bytes) {
        this.text = text;
        this.number = number;
        this.bytes = bytes;
    }

    /** The type of this number; null if it is not one of these. */
    public static @Nullable NftDatatype of(int number) {
        for (NftDatatype type : values()) {
            if (type.number == number) {
                return type;
            }
        }
        return null;
    }

    /** The number of the type. */
    public int number() {
        return number;
    }

    /** The length of a value, in bytes. */
    public int bytes() {
        return bytes;
    }

    /** The length of a value in registers of 4 bytes, which is its share of a concatenation, in bytes. */
    public int paddedBytes() {
        return (bytes + 3) & ~3;
    }

    /** The name in {@code nft}. */
    @Override
    public String toString() {
        return text;
    }
}
