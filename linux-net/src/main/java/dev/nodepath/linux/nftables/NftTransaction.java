package dev.nodepath.linux.nftables;

import dev.nodepath.linux.netlink.NetlinkRefusal;
import dev.nodepath.linux.netlink.NetlinkRequest;
import dev.nodepath.linux.netlink.NetlinkTransaction;
import dev.nodepath.linux.syscall.Errno;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.NavigableSet;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;

/** Changes that the kernel makes together or not at all. */
public final class NftTransaction {
    private final List<NftChange> changes = new ArrayList<>();
    private final OptionalInt generation;
    private final NetlinkTransaction messages = new NetlinkTransaction();
    private final NftMessages writer;

    /** The number of the first message of each change. */
    private final List<Integer> firsts = new ArrayList<>();

    /** The last change, which gets the flag of acknowledgement when it is known to be the last. */
    private List<NetlinkRequest> last = List.of();

    private boolean ended;

    /** A transaction that the kernel accepts after any earlier changes of other programs. */
    public NftTransaction() {
        this(OptionalInt.empty());
    }

    /**
     * An empty transaction.
     *
     * @param generation the kernel refuses the transaction if its generation is another; see {@link
     *     NftRefusedException#isOutdated}
     */
    public NftTransaction(OptionalInt generation) {
        this.generation = generation;
        this.writer = new NftMessages();
        messages.add(NftMessages.begin(generation));
    }

    /** A transaction of these changes. */
    public static NftTransaction of(List<NftChange> changes) {
        NftTransaction transaction = new NftTransaction();
        changes.forEach(transaction::add);
        return transaction;
    }

    /**
     * Appends a change.
     *
     * @throws IllegalArgumentException if a name, a comment or a rule is too long for a message
     */
    public NftTransaction add(NftChange change) {
        List<NetlinkRequest> requests = writer.requests(change);
        flush();
        changes.add(change);
        firsts.add(messages.messages());
        last = requests;
        return this;
    }

    private void flush() {
        last.forEach(messages::add);
        last = List.of();
    }

    /** The changes in their order. */
    public List<NftChange> changes() {
        return List.copyOf(changes);
    }

    /** The expected generation; empty if it does not matter. */
    public OptionalInt generation() {
        return generation;
    }

    public boolean isEmpty() {
        return changes.isEmpty();
    }

    /** The length of its messages so far, in bytes. */
    public int bytes() {
        return messages.length()
                + last.stream().mapToInt(NetlinkRequest::length).sum();
    }

    /** The messages, with an acknowledgement of the last change. No change may be added after this. */
    NetlinkTransaction messages() {
        if (!ended) {
            ended = true;
            withoutEnd().add(NftMessages.end());
        }
        return messages;
    }

    /**
     * The messages without their end, so that the kernel makes no change. No change may be added after this.
     *
     * @throws IllegalStateException if the transaction was made already: its messages have an end
     */
    NetlinkTransaction messagesOfTrial() {
        if (ended) {
            throw new IllegalStateException("transaction: made already (expected: a trial before)");
        }
        return withoutEnd();
    }

    private NetlinkTransaction withoutEnd() {
        if (!last.isEmpty()) {
            last.get(last.size() - 1).acknowledge();
        }
        flush();
        return messages;
    }

    /** The exception for the kernel's refusals. */
    NftRefusedException refusal(List<NetlinkRefusal> refusals) {
        Errno errno = Errno.of(refusals.get(0).errorNumber());
        if (refusals.get(0).message() == 0) {
            String what = "nf_tables transaction of " + changes.size() + " changes: ";
            return new NftRefusedException(what + words(refusals.get(0), Optional.empty()), errno, new TreeMap<>());
        }
        SortedMap<Integer, String> refused = new TreeMap<>();
        NavigableSet<String> missing = new TreeSet<>();
        List<ByteBuffer> bytes = messages.each();
        for (NetlinkRefusal refusal : refusals) {
            int change = change(refusal.message());
            Optional<String> part = missing(changes.get(change), refusal, bytes.get(refusal.message()));
            part.ifPresent(missing::add);
            refused.putIfAbsent(change, words(refusal, part));
        }
        int first = refused.firstKey();
        String what = words(changes.get(first)) + ": ";
        return new NftRefusedException(what + refused.get(first), errno, refused, missing);
    }

    /** The part that the kernel lacks, if that is why it refused a message: the kernel points at the expression. */
    private static Optional<String> missing(NftChange change, NetlinkRefusal refusal, ByteBuffer message) {
        if (Errno.of(refusal.errorNumber()) != Errno.ENOENT) {
            return Optional.empty();
        }
        if (change instanceof NftChange.AddChain addition) {
            return addition.chain().hook().map(hook -> "chain type " + hook.type());
        }
        return change instanceof NftChange.AddRule && refusal.offset() > 0
                ? NftExpressions.name(message, refusal.offset())
                        .filter(name -> !NftExpressions.REFERRING.contains(name))
                        .map(name -> "expression " + name)
                : Optional.empty();
    }

    private int change(int message) {
        int change = Collections.binarySearch(firsts, message);
        return change >= 0 ? change : -change - 2;
    }

    private static String words(NetlinkRefusal refusal, Optional<String> missing) {
        Errno errno = Errno.of(refusal.errorNumber());
        String name = errno == Errno.UNKNOWN ? "errno " + refusal.errorNumber() : errno.name();
        String text = missing.map(part -> "no " + part + " in this kernel").orElse(refusal.text());
        return text.isEmpty() ? name : name + " (" + text + ")";
    }

    private static String words(NftChange change) {
        if (change instanceof NftChange.AddRule addition) {
            return "add rule to chain " + addition.chain().name();
        } else if (change instanceof NftChange.AddChain addition) {
            return "add chain " + addition.chain().name();
        } else if (change instanceof NftChange.DeleteChain deletion) {
            return "delete chain " + deletion.chain().name();
        } else if (change instanceof NftChange.FlushChain flush) {
            return "flush chain " + flush.chain().name();
        } else if (change instanceof NftChange.DeleteRule deletion) {
            return "delete rule " + deletion.handle() + " of chain "
                    + deletion.chain().name();
        } else if (change instanceof NftChange.AddTable addition) {
            return "add table " + addition.table();
        } else if (change instanceof NftChange.DeleteTable deletion) {
            return "delete table " + deletion.table();
        } else if (change instanceof NftChange.AddSet addition) {
            return "add set " + addition.set().name();
        } else if (change instanceof NftChange.DeleteSet deletion) {
            return "delete set " + deletion.set().name();
        } else if (change instanceof NftChange.AddElements addition) {
            return "add elements to set " + addition.set().name();
        } else if (change instanceof NftChange.DeleteElements deletion) {
            return "delete elements of set " + deletion.set().name();
        } else {
            return "flush set " + ((NftChange.FlushSet) change).set().name();
        }
    }
}
