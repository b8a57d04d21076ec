package dev.nodepath.linux.nftables;

import dev.nodepath.linux.netlink.NetlinkAttributes;
import dev.nodepath.linux.netlink.NetlinkRefusal;
import dev.nodepath.linux.syscall.Errno;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * The answer of a kernel that lacks some expressions: ENOENT, and the place of the expression in the message (Linux
 * 6.18).
 */
public final class LackingKernel {
    /** The headers of netlink and of nf_tables. */
    private static final int HEADER_BYTES = 20;

    private static final int TYPE_OFFSET = 4;
    private static final int ATTRIBUTE_HEADER_BYTES = 4;
    private static final int TYPE_MASK = 0x3FFF;

    private LackingKernel() {}

    /** The refusal of a transaction; empty if it uses none of these expressions. */
    public static Optional<NftRefusedException> refusal(NftTransaction transaction, Set<String> lacked) {
        List<ByteBuffer> messages = transaction.messages().each();
        List<NetlinkRefusal> refusals = new ArrayList<>();
        for (int number = 0; number < messages.size(); number++) {
            ByteBuffer message = messages.get(number);
            if (message.getShort(TYPE_OFFSET) == NftMessages.NEWRULE) {
                int offset = offset(message, lacked);
                if (offset > 0) {
                    refusals.add(new NetlinkRefusal(number, Errno.ENOENT.number(), "", offset));
                }
            }
        }
        return refusals.isEmpty() ? Optional.empty() : Optional.of(transaction.refusal(refusals));
    }

    /** Where the first lacked expression is in a message; 0 if there is none. */
    private static int offset(ByteBuffer message, Set<String> lacked) {
        for (int at = HEADER_BYTES; at < message.limit(); at = next(message, at)) {
            if ((message.getShort(at + 2) & TYPE_MASK) == NftMessages.RULE_EXPRESSIONS) {
                int end = at + (message.getShort(at) & 0xFFFF);
                for (int element = at + ATTRIBUTE_HEADER_BYTES; element < end; element = next(message, element)) {
                    if (NftExpressions.name(message, element)
                            .filter(lacked::contains)
                            .isPresent()) {
                        return element;
                    }
                }
            }
        }
        return 0;
    }

    private static int next(ByteBuffer message, int at) {
        return at + NetlinkAttributes.aligned(message.getShort(at) & 0xFFFF);
    }
}
