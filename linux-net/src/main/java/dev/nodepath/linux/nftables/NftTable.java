package dev.nodepath.linux.nftables;

/**
 * Which table of nf_tables.
 *
 * @param family the packets that it sees
 * @param name at most 255 bytes
 */
public record NftTable(NftFamily family, String name) {
    /** As in {@code nft}: {@code ip kube-proxy}. */
    @Override
    public String toString() {
        return family + " " + name;
    }
}
