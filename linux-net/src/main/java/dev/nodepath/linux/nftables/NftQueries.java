package dev.nodepath.linux.nftables;

import dev.nodepath.linux.netlink.NetlinkMessage;
import dev.nodepath.linux.netlink.NetlinkRequest;

/** Writes the messages that read nf_tables. */
final class NftQueries {
    private static final int GETTABLE = NftMessages.SUBSYSTEM << 8 | 1;
    private static final int GETCHAIN = NftMessages.SUBSYSTEM << 8 | 4;
    private static final int GETRULE = NftMessages.SUBSYSTEM << 8 | 7;
    private static final int GETSET = NftMessages.SUBSYSTEM << 8 | 10;
    private static final int GETSETELEM = NftMessages.SUBSYSTEM << 8 | 13;
    private static final int NEWGEN = NftMessages.SUBSYSTEM << 8 | 15;
    private static final int GETGEN = NftMessages.SUBSYSTEM << 8 | 16;
    private static final int GENERATION_ID = 1;

    private NftQueries() {}

    /** A query for the generation of the namespace. */
    static NetlinkRequest generation() {
        return NetlinkRequest.acknowledged(GETGEN, 0).putInt(0);
    }

    /**
     * The generation in the answer.
     *
     * @throws IllegalArgumentException if it is another message, or has no number
     */
    static int generation(NetlinkMessage answer) {
        if (answer.type() != NEWGEN
                || !answer.attributes(NftMessages.NFGENMSG_BYTES).has(GENERATION_ID)) {
            throw new IllegalArgumentException(
                    "netlink message of type " + answer.type() + " (expected: an nf_tables generation)");
        }
        return answer.attributes(NftMessages.NFGENMSG_BYTES).networkNumber(GENERATION_ID);
    }

    /** A query for a table itself. */
    static NetlinkRequest table(NftTable table) {
        return NftMessages.familyHeader(NetlinkRequest.acknowledged(GETTABLE, 0), table.family())
                .attribute(NftMessages.TABLE_NAME, table.name());
    }

    /** A dump of the chains of all tables of the family: the kernel does not choose by table. */
    static NetlinkRequest chains(NftTable table) {
        return NftMessages.familyHeader(NetlinkRequest.dump(GETCHAIN), table.family());
    }

    /** A dump of the sets of a table. */
    static NetlinkRequest sets(NftTable table) {
        return dump(GETSET, table);
    }

    /** A dump of the elements of a set. */
    static NetlinkRequest elements(NftTable table, String set) {
        return dump(GETSETELEM, table).attribute(NftMessages.ELEMENTS_SET, set);
    }

    /** A dump of the rules of a table. */
    static NetlinkRequest rules(NftTable table) {
        return dump(GETRULE, table);
    }

    /** A dump of the rules of a chain. An old kernel also lists the rules of other chains. */
    static NetlinkRequest rules(NftChain chain) {
        return rules(chain.table()).attribute(NftMessages.RULE_CHAIN, chain.name());
    }

    /** The attribute of the table's name has the same number in all of them. */
    private static NetlinkRequest dump(int type, NftTable table) {
        return NftMessages.familyHeader(NetlinkRequest.dump(type), table.family())
                .attribute(NftMessages.TABLE_NAME, table.name());
    }
}
