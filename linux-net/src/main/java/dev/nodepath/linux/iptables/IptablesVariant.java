package dev.nodepath.linux.iptables;

import dev.nodepath.linux.IpFamily;

/** The two implementations of iptables. Their rules are apart: what one has loaded, the other does not list. */
public enum IptablesVariant {
    /** Whichever the commands without a suffix stand for. */
    DEFAULT(""),
    /** Rules of nf_tables. */
    NFT("-nft"),
    /** The older tables of x_tables. */
    LEGACY("-legacy");

    private final String suffix;

    IptablesVariant(String suffix) {
        this.suffix = suffix;
    }

    /** The name of a command, such as {@code ip6tables-nft-save}. */
    String program(IpFamily family, String action) {
        return (family == IpFamily.IPV4 ? "iptables" : "ip6tables") + suffix + "-" + action;
    }
}
