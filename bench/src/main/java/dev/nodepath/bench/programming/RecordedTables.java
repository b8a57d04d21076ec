package dev.nodepath.bench.programming;

import dev.nodepath.linux.nftables.NftRefusedException;
import dev.nodepath.linux.nftables.NftTable;
import dev.nodepath.linux.nftables.NftTableState;
import dev.nodepath.linux.nftables.NftTables;
import dev.nodepath.linux.nftables.NftTransaction;
import dev.nodepath.linux.syscall.LinuxNetException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Passes everything on to the kernel, and keeps the transactions that it took. */
final class RecordedTables implements NftTables {
    private final NftTables kernel;
    private List<NftTransaction> taken = new ArrayList<>();

    /** Records the transactions to these tables. */
    RecordedTables(NftTables kernel) {
        this.kernel = kernel;
    }

    /**
     * The messages that were sent since the last call, ready to be sent again. Unlike the first time, they expect no
     * generation.
     */
    List<NftTransaction> takeRecorded() {
        List<NftTransaction> messages = taken.stream()
                .map(transaction -> NftTransaction.of(transaction.changes()))
                .toList();
        taken = new ArrayList<>();
        return messages;
    }

    @Override
    public void apply(NftTransaction transaction) throws LinuxNetException, NftRefusedException {
        kernel.apply(transaction);
        taken.add(transaction);
    }

    @Override
    public void check(NftTransaction transaction) throws LinuxNetException, NftRefusedException {
        kernel.check(transaction);
    }

    @Override
    public int generation() throws LinuxNetException {
        return kernel.generation();
    }

    @Override
    public Optional<NftTableState> read(NftTable table) throws LinuxNetException {
        return kernel.read(table);
    }

    @Override
    public Map<String, Long> countedPackets(NftTable table) throws LinuxNetException {
        return kernel.countedPackets(table);
    }

    @Override
    public boolean mayHaveChanged(NftTable table) throws LinuxNetException {
        return kernel.mayHaveChanged(table);
    }

    @Override
    public int transactionBytesMax() throws LinuxNetException {
        return kernel.transactionBytesMax();
    }

    @Override
    public void close() {
        kernel.close();
    }
}
