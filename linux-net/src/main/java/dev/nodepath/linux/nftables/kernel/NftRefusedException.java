package dev.nodepath.linux.nftables.kernel;

import dev.nodepath.linux.syscall.Errno;
import java.io.IOException;
import java.util.SortedMap;
import java.util.TreeMap;

/** The kernel refused a transaction of nf_tables. Nothing of it is in force. */
public final class NftRefusedException extends IOException {
    private final Errno errno;
    private final transient SortedMap<Integer, String> changes;

    /**
     * A refusal.
     *
     * @param errno why the first message was refused
     * @param changes the refused changes by their number in the transaction, from 0, each with its reason in words; empty if
     *     the kernel refused the transaction as a whole
     */
    public NftRefusedException(String message, Errno errno, SortedMap<Integer, String> changes) {
        super(message);
        this.errno = errno;
        this.changes = new TreeMap<>(changes);
    }

    /** The error number of the first refusal. */
    public Errno errno() {
        return errno;
    }

    /** Whether another program has changed nf_tables since the expected generation. Nothing was tried then. */
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
