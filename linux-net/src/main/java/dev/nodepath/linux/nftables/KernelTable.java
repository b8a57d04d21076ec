package dev.nodepath.linux.nftables;

import dev.nodepath.linux.syscall.LinuxNetException;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;

/** One table in the kernel: reads it, sends its changes, and tells whether other programs may have changed it. */
final class KernelTable {
    private final NftTables nft;
    private final NftTable table;

    /** The generation that the next transaction expects. */
    private int generation;

    private int bytesMax;
    private boolean watches;

    /** Whether other programs may have changed the table before it was watched. */
    private boolean unwatched;

    private List<NftChange> last = List.of();
    private int sent;
    private long written;

    KernelTable(NftTables nft, NftTable table) {
        this.nft = nft;
        this.table = table;
    }

    /** The table; empty if there is none. */
    Optional<NftTableState> read() throws LinuxNetException {
        generation = nft.generation();
        return nft.read(table);
    }

    /**
     * Whether other programs may have changed the table since our last reading or change. If not, the next transaction
     * expects the present generation. If no other program made a transaction, it asks the kernel for one number.
     *
     * <p>Announcements that were lost are no news if there was no transaction but ours. The generation is asked after
     * the announcements were read: an earlier change by another program has then changed the number.
     */
    boolean mayHaveChanged() throws LinuxNetException {
        int now = nft.generation();
        boolean suspect = unwatched
                || (watches ? nft.mayHaveChanged(table) && nft.generation() != generation : now != generation);
        unwatched = false;
        generation = suspect ? generation : now;
        return suspect;
    }

    /**
     * Begins to watch for changes by others after the first transaction: the kernel announces each rule and element,
     * and the first transaction has most of them.
     */
    void watch() throws LinuxNetException {
        if (!watches) {
            watches = true;
            boolean atFirst = nft.mayHaveChanged(table);
            unwatched = atFirst && nft.generation() != generation;
        }
    }

    /**
     * Makes changes in as few transactions as the kernel takes.
     *
     * @param steps the changes in order; those of one step are in one transaction
     * @throws NftRefusedException if the kernel refused the last transaction; see {@link #sent} for the earlier ones
     */
    void send(List<List<NftChange>> steps) throws LinuxNetException, NftRefusedException {
        sent = 0;
        NftTransaction transaction = new NftTransaction(OptionalInt.of(generation));
        for (List<NftChange> step : steps) {
            step.forEach(transaction::add);
            if (transaction.bytes() > transactionBytesMax()) {
                commit(transaction);
                transaction = new NftTransaction(OptionalInt.of(generation));
            }
        }
        commit(transaction);
    }

    private void commit(NftTransaction transaction) throws LinuxNetException, NftRefusedException {
        if (!transaction.isEmpty()) {
            last = transaction.changes();
            nft.apply(transaction);
            generation++;
            sent++;
            written += last.size();
        }
    }

    /** Half of the limit, because the last step may take the other half. */
    int transactionBytesMax() throws LinuxNetException {
        if (bytesMax == 0) {
            bytesMax = nft.transactionBytesMax() / 2;
        }
        return bytesMax;
    }

    /** The number of transactions of the last call of {@link #send} that the kernel took. */
    int sent() {
        return sent;
    }

    /** A change of the last transaction, by its number there. */
    NftChange last(int number) {
        return last.get(number);
    }

    /** The changes that the kernel took so far. */
    long written() {
        return written;
    }
}
