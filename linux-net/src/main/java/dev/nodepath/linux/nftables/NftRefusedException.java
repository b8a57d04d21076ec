package dev.nodepath.linux.nftables;

import dev.nodepath.linux.syscall.Errno;
import java.io.IOException;
import java.util.NavigableSet;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;

/** The kernel refused a transaction of nf_tables. None of its changes is in force. */
public final class NftRefusedException extends IOException {
    private final Errno errno;
    private final transient SortedMap<Integer, String> changes;
    private final transient NavigableSet<String> missing;

    /**
     * A refusal.
     *
     * @param errno why the first message was refused
     * @param changes the refused changes by their number in the transaction, from 0, each with its reason in words;
     *     empty if the kernel refused the transaction as a whole
     */
    public NftRefusedException(String message, Errno errno, SortedMap<Integer, String> changes) {
        this(message, errno, changes, new TreeSet<>());
    }

    /**
     * A refusal for want of parts of the kernel.
     *
     * @param missing the parts in words, such as {@code expression numgen}
     */
    NftRefusedException(String message, Errno errno, SortedMap<Integer, String> changes, NavigableSet<String> missing) {
        super(message);
        this.errno = errno;
        this.changes = new TreeMap<>(changes);
        this.missing = new TreeSet<>(missing);
    }

    /**
     * The parts of nf_tables that the kernel lacks, such as {@code expression numgen}; empty if that was not the
     * reason.
     */
    public NavigableSet<String> missing() {
        return new TreeSet<>(missing);
    }

    /** The error number of the first refusal. */
    public Errno errno() {
        return errno;
    }

    /**
     * Whether another program has changed nf_tables since the expected generation. The kernel then tried none of the
     * changes.
     */
    public boolean isOutdated() {
        return errno == Errno.ERESTART && changes.isEmpty();
    }

    /**
     * The refused changes by their number in the transaction, each with its reason. The first is the cause; later ones
     * often follow from it. Empty if the kernel refused the transaction as a whole.
     */
    public SortedMap<Integer, String> changes() {
        return new TreeMap<>(changes);
    }
}
