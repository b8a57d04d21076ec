package dev.nodepath.linux.nftables;

import dev.nodepath.linux.netlink.NetlinkMessage;
import dev.nodepath.linux.netlink.NetlinkRequest;
import java.nio.ByteBuffer;

/** The one message of nf_tables that is needed here ({@code include/uapi/linux/netfilter/nf_tables.h}). */
public final class NftablesMessages {
    private static final int SUBSYSTEM = 10 << 8;
    private static final int NEW_GENERATION = SUBSYSTEM | 15;
    private static final int GET_GENERATION = SUBSYSTEM | 16;
    private static final int GENERATION_ID = 1;

    /** {@code struct nfgenmsg}: family, version, resource. */
    private static final int HEADER_BYTES = 4;

    private NftablesMessages() {}

    public static NetlinkRequest getGeneration() {
        return NetlinkRequest.acknowledged(GET_GENERATION, 0).putInt(0);
    }

    /**
     * The number in the answer, in network byte order there.
     *
     * @throws IllegalArgumentException if it is another message, or bears no number
     */
    public static int generation(NetlinkMessage message) {
        byte[] id = message.type() == NEW_GENERATION
                ? message.attributes(HEADER_BYTES).bytes(GENERATION_ID)
                : null;
        if (id == null || id.length != Integer.BYTES) {
            throw new IllegalArgumentException(
                    "netlink message of type " + message.type() + " (expected: an nf_tables generation)");
        }
        return ByteBuffer.wrap(id).getInt();
    }
}
