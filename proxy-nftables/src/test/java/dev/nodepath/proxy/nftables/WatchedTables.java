package dev.nodepath.proxy.nftables;

import dev.nodepath.linux.nftables.NftRefusedException;
import dev.nodepath.linux.nftables.NftTable;
import dev.nodepath.linux.nftables.NftTableState;
import dev.nodepath.linux.nftables.NftTables;
import dev.nodepath.linux.nftables.NftTransaction;
import dev.nodepath.linux.syscall.LinuxNetException;
import java.util.Map;
import java.util.Optional;

/** The tables of a namespace: how often one was read, and a limit for transactions. */
final class WatchedTables implements NftTables {
    private final NftTables real;
    private final int bytesMax;
    private int reads;
    private boolean losing;

    WatchedTables(NftTables real) {
        this(real, Integer.MAX_VALUE);
    }

    WatchedTables(NftTables real, int bytesMax) {
        this.real = real;
        this.bytesMax = bytesMax;
    }

    /** From now on announcements are lost before each question, as when the socket's queue overflows. */
    void loseAnnouncements() {
        losing = true;
    }

    int reads() {
        return reads;
    }

    @Override
    public int generation() throws LinuxNetException {
        return real.generation();
    }

    @Override
    public Optional<NftTableState> read(NftTable table) throws LinuxNetException {
        reads++;
        return real.read(table);
    }

    @Override
    public Map<String, Long> countedPackets(NftTable table) throws LinuxNetException {
        return real.countedPackets(table);
    }

    @Override
    public void apply(NftTransaction transaction) throws LinuxNetException, NftRefusedException {
        real.apply(transaction);
    }

    @Override
    public void check(NftTransaction transaction) throws LinuxNetException, NftRefusedException {
        real.check(transaction);
    }

    @Override
    public boolean mayHaveChanged(NftTable table) throws LinuxNetException {
        return real.mayHaveChanged(table) || losing;
    }

    @Override
    public int transactionBytesMax() throws LinuxNetException {
        return Math.min(bytesMax, real.transactionBytesMax());
    }

    @Override
    public void close() {
        real.close();
    }
}
