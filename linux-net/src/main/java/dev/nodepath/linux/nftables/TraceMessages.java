package dev.nodepath.linux.nftables;

import dev.nodepath.linux.netlink.NetlinkAttributes;
import dev.nodepath.linux.netlink.NetlinkMessage;
import dev.nodepath.linux.nftables.TraceEvent.Kind;
import dev.nodepath.linux.packet.PacketHeader;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Reads {@code NFT_MSG_TRACE} ({@code enum nft_trace_attributes} of {@code include/uapi/linux/netfilter/nf_tables.h}).
 */
final class TraceMessages {
    /** Subsystem 10 is nf_tables, and its message 17 is {@code NFT_MSG_TRACE}. */
    private static final int TRACE = 10 << 8 | 17;

    private static final int NFGENMSG_BYTES = 4;
    private static final int TABLE = 1;
    private static final int CHAIN = 2;
    private static final int RULE_HANDLE = 3;
    private static final int TYPE = 4;
    private static final int VERDICT = 5;
    private static final int ID = 6;
    private static final int NETWORK_HEADER = 8;
    private static final int TRANSPORT_HEADER = 9;
    private static final int POLICY = 16;
    private static final int TYPE_POLICY = 1;
    private static final int TYPE_RETURN = 2;
    private static final int TYPE_RULE = 3;
    private static final int VERDICT_CODE = 1;
    private static final int VERDICT_CHAIN = 2;

    private TraceMessages() {}

    /** The event of a message; empty if it is another message, or of a family or type that is not known here. */
    static Optional<TraceEvent> read(NetlinkMessage message) {
        if (message.type() != TRACE) {
            return Optional.empty();
        }
        NetlinkAttributes attributes = message.attributes(NFGENMSG_BYTES);
        Optional<NftFamily> family = family(message.payload().get(0) & 0xFF);
        Optional<Kind> kind = kind(attributes);
        if (family.isEmpty() || kind.isEmpty()) {
            return Optional.empty();
        }
        byte[] handle = attributes.bytes(RULE_HANDLE);
        return Optional.of(new TraceEvent(
                attributes.networkNumber(ID),
                new NftTable(family.get(), attributes.text(TABLE)),
                attributes.text(CHAIN),
                kind.get(),
                handle == null ? 0 : ByteBuffer.wrap(handle).getLong(),
                verdict(attributes),
                header(attributes.bytes(NETWORK_HEADER), attributes.bytes(TRANSPORT_HEADER))));
    }

    private static Optional<NftFamily> family(int number) {
        return Arrays.stream(NftFamily.values())
                .filter(family -> family.number() == number)
                .findFirst();
    }

    /**
     * The type does not say whether a rule returned or a chain ended: both are a return in Linux 6.1, both a rule in
     * 6.18. Only a rule has a handle.
     */
    private static Optional<Kind> kind(NetlinkAttributes attributes) {
        return switch (attributes.networkNumber(TYPE)) {
            case TYPE_RULE, TYPE_RETURN -> Optional.of(attributes.has(RULE_HANDLE) ? Kind.RULE : Kind.RETURN);
            case TYPE_POLICY -> Optional.of(Kind.POLICY);
            default -> Optional.empty();
        };
    }

    private static Optional<NftVerdict> verdict(NetlinkAttributes attributes) {
        NetlinkAttributes verdict = attributes.nested(VERDICT);
        int code = attributes.networkNumber(TYPE) == TYPE_POLICY
                ? attributes.networkNumber(POLICY)
                : verdict.networkNumber(VERDICT_CODE);
        return Arrays.stream(NftVerdict.Kind.values())
                .filter(kind -> kind.code() == code)
                .findFirst()
                .map(kind -> new NftVerdict(kind, verdict.text(VERDICT_CHAIN)));
    }

    private static Optional<PacketHeader> header(byte @Nullable [] network, byte @Nullable [] transport) {
        return network == null
                ? Optional.empty()
                : PacketHeader.read(network, transport == null ? new byte[0] : transport);
    }
}
