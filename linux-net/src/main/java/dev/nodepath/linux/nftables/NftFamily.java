package dev.nodepath.linux.nftables;

import dev.nodepath.linux.address.IpFamily;

/** The family of a table: the packets that it sees ({@code NFPROTO_*} in {@code include/uapi/linux/netfilter.h}). */
public enum NftFamily {
    /** IPv4 and IPv6. */
    INET("inet", 1),
    IPV4("ip", 2),
    BRIDGE("bridge", 7),
    IPV6("ip6", 10);

    private final String text;
    private final int number;

    NftFamily(String text, int number) {
        this.text = text;
        this.number = number;
    }

    /** The family whose tables see one IP version. */
    public static NftFamily of(IpFamily family) {
        return family == IpFamily.IPV4 ? IPV4 : IPV6;
    }

    /** The kernel's number. */
    public int number() {
        return number;
    }

    /** The name in {@code nft}, such as {@code ip6}. */
    @Override
    public String toString() {
        return text;
    }
}
