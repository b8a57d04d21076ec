package dev.nodepath.linux.iptables;

import dev.nodepath.linux.address.IpFamily;
import dev.nodepath.linux.nftables.NftTables;
import dev.nodepath.linux.syscall.LinuxNetException;
import java.util.OptionalLong;

/**
 * Counts changes of nf_tables by others. A command of ours raises the kernel's generation at most once per part. Any
 * further growth during the command, and any growth between commands, comes from others. The counter misses no change,
 * whereas netlink notifications can be lost, and the kernel sends one for every rule, ours too.
 */
final class NftWatch implements TableWatch {
    private final NftTables tables;
    private int ours;
    private int before;
    private boolean unreadable;

    NftWatch(NftTables tables) {
        this.tables = tables;
    }

    @Override
    public OptionalLong changesByOthers(IpFamily family) {
        try {
            int others = tables.generation() - ours;
            boolean told = !unreadable;
            unreadable = false;
            return told ? OptionalLong.of(others) : OptionalLong.empty();
        } catch (LinuxNetException e) {
            return OptionalLong.empty();
        }
    }

    @Override
    public boolean seesAllChanges() {
        return true;
    }

    @Override
    public void begin(IpFamily family) {
        before = readOrZero();
    }

    @Override
    public void end(IpFamily family, int commits) {
        int grown = readOrZero() - before;
        ours += Math.max(0, Math.min(grown, commits));
    }

    private int readOrZero() {
        try {
            return tables.generation();
        } catch (LinuxNetException e) {
            // The count is wrong from now on, so the next answer is "unknown".
            unreadable = true;
            return 0;
        }
    }

    @Override
    public void close() {
        tables.close();
    }
}
