package dev.nodepath.linux.iptables.command;

/** Which of the kernel's two homes of iptables rules the commands work on. */
public enum IptablesVariant {
    /**
     * nf_tables. In version 1.8.9 what {@code --noflush} costs grows with the square of the chains that one table's part
     * names: 22 000 chains take 4.4 s in one part and 1.2 s in parts of a hundred.
     */
    NFT(100),

    /** ip_tables. Every part of a table copies the whole table out of the kernel and back, so one part is best. */
    LEGACY(Integer.MAX_VALUE);

    private final int chainsPerPart;

    IptablesVariant(int chainsPerPart) {
        this.chainsPerPart = chainsPerPart;
    }

    /** How many chains one table's part of a text should name at most. */
    public int chainsPerPart() {
        return chainsPerPart;
    }
}
