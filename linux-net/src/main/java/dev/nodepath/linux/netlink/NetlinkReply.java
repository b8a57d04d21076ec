package dev.nodepath.linux.netlink;

import dev.nodepath.linux.syscall.LinuxNetException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/**
 * The kernel's reply to one request, assembled from datagrams: messages, then an acknowledgement, an error or the end
 * of a dump. The reply to a question is one message or an error ({@code
 * Documentation/userspace-api/netlink/intro.rst} of the kernel).
 */
final class NetlinkReply {
    private static final int HEADER_BYTES = 16;
    private static final int TYPE_NOOP = 1;
    private static final int TYPE_ERROR = 2;
    private static final int TYPE_DONE = 3;
    private static final int FLAG_DUMP_INTERRUPTED = 0x10;
    private static final int FLAG_CAPPED = 0x100;
    private static final int FLAG_EXTENDED_ACK = 0x200;
    private static final int EXTENDED_ACK_TEXT = 1;
    private static final int EXTENDED_ACK_OFFSET = 2;

    private final int sequence;
    private final List<NetlinkMessage> messages = new ArrayList<>();
    private final Consumer<NetlinkMessage> sink;
    private final boolean single;
    private boolean complete;
    private boolean interrupted;
    private int errorNumber;
    private String errorText = "";
    private int errorOffset;

    NetlinkReply(int sequence) {
        this(sequence, false);
    }

    /** A reply that ends with its first message, if it is one to a question. */
    NetlinkReply(int sequence, boolean single) {
        this.sequence = sequence;
        this.sink = messages::add;
        this.single = single;
    }

    /** A reply that passes its messages on and keeps none. */
    NetlinkReply(int sequence, Consumer<NetlinkMessage> sink) {
        this.sequence = sequence;
        this.sink = sink;
        this.single = false;
    }

    /**
     * Adds one datagram. Messages with another sequence number belong to an earlier, abandoned request.
     *
     * @throws IllegalArgumentException if it does not consist of whole messages
     */
    void accept(ByteBuffer datagram) {
        for (NetlinkMessage message : NetlinkMessage.all(datagram)) {
            if (message.sequence() == sequence && !complete) {
                accept(message);
            }
        }
    }

    /** Adds one message of this request. */
    void accept(NetlinkMessage message) {
        interrupted |= (message.flags() & FLAG_DUMP_INTERRUPTED) != 0;
        switch (message.type()) {
            case TYPE_NOOP -> {}
            case TYPE_ERROR -> acceptError(message);
            case TYPE_DONE -> acceptDone(message);
            default -> {
                sink.accept(message);
                complete = single;
            }
        }
    }

    /** {@code struct nlmsgerr}: the error number, then the request or only its header, then attributes. */
    private void acceptError(NetlinkMessage message) {
        complete = true;
        ByteBuffer payload = message.payload();
        errorNumber = -payload.getInt(0);
        if (hasAttributes(message)) {
            boolean capped = (message.flags() & FLAG_CAPPED) != 0;
            int requestBytes = capped ? HEADER_BYTES : NetlinkAttributes.aligned(payload.getInt(4));
            NetlinkAttributes acknowledgement = message.attributes(4 + requestBytes);
            errorText = acknowledgement.text(EXTENDED_ACK_TEXT);
            errorOffset = acknowledgement.number(EXTENDED_ACK_OFFSET);
        }
    }

    /** The end of a dump also holds an error number. */
    private void acceptDone(NetlinkMessage message) {
        complete = true;
        if (message.payload().limit() >= 4) {
            errorNumber = -message.payload().getInt(0);
        }
        if (hasAttributes(message)) {
            errorText = message.attributes(4).text(EXTENDED_ACK_TEXT);
        }
    }

    private static boolean hasAttributes(NetlinkMessage message) {
        return (message.flags() & FLAG_EXTENDED_ACK) != 0;
    }

    boolean isComplete() {
        return complete;
    }

    /** Parts of the reply were lost. */
    void interrupt() {
        interrupted = true;
    }

    /** Whether the dump changed while it was read, so that entries may be missing or duplicate. */
    boolean isInterrupted() {
        return interrupted;
    }

    /** The error number of a complete reply; 0 for success. */
    int errorNumber() {
        return errorNumber;
    }

    /** The kernel's text for the error; empty if there is none. */
    String errorText() {
        return errorText;
    }

    /** Where the refused attribute begins in the request, in bytes; 0 if it is not known. */
    int errorOffset() {
        return errorOffset;
    }

    /** The messages of a complete reply. Throws its error. */
    List<NetlinkMessage> orThrow(String operation) throws LinuxNetException {
        if (errorNumber != 0) {
            throw new LinuxNetException(operation, errorNumber, errorText);
        }
        return messages;
    }
}
