package dev.nodepath.linux.netlink;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;

/**
 * The kernel's reply to a transaction: an error for each refused message, in their order, and the acknowledgement of
 * the last change. An error of the first message, which begins the transaction, comes alone or before all others
 * ({@code nfnetlink_rcv_batch}).
 */
final class NetlinkTransactionReply {
    private static final int TYPE_ERROR = 2;

    private final int first;
    private final int acknowledged;
    private final List<NetlinkRefusal> refusals = new ArrayList<>();
    private boolean complete;

    /** The reply ends with the acknowledgement of the message with this number. */
    NetlinkTransactionReply(int firstSequence, int acknowledged) {
        this.first = firstSequence;
        this.acknowledged = acknowledged;
    }

    void accept(ByteBuffer datagram) {
        for (NetlinkMessage message : NetlinkMessage.all(datagram)) {
            int number = message.sequence() - first;
            if (message.type() == TYPE_ERROR && number >= 0 && number <= acknowledged && !complete) {
                NetlinkReply reply = new NetlinkReply(message.sequence());
                reply.accept(message);
                if (reply.errorNumber() != 0) {
                    refusals.add(
                            new NetlinkRefusal(number, reply.errorNumber(), reply.errorText(), reply.errorOffset()));
                }
                complete = number == 0 || number == acknowledged;
            }
        }
    }

    boolean isComplete() {
        return complete;
    }

    List<NetlinkRefusal> refusals() {
        return List.copyOf(refusals);
    }
}
