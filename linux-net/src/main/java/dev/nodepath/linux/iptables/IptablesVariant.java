package dev.nodepath.linux.iptables;

/** The two kernel subsystems that hold iptables rules. */
public enum IptablesVariant {
    /**
     * nf_tables. In version 1.8.9 the time of {@code --noflush} grows with the square of the chains in one part: 22 000
     * chains take 4.4 s in one part and 1.2 s in parts of a hundred.
     */
    NFT(100),

    /** ip_tables. Every part of a table copies the whole table out of the kernel and back, so one part is best. */
    LEGACY(Integer.MAX_VALUE);

    private final int chainsPerPart;

    IptablesVariant(int chainsPerPart) {
        this.chainsPerPart = chainsPerPart;
    }

    /** The most chains that one part of a text should name. */
    int chainsPerPart() {
        return chainsPerPart;
    }
}
