package dev.nodepath.linux.iptables.command;

import dev.nodepath.linux.address.IpFamily;
import dev.nodepath.linux.nftables.NftablesGeneration;
import dev.nodepath.linux.syscall.LinuxNetException;
import java.util.OptionalLong;

/**
 * Counts generations of nf_tables that are not ours. A command of ours makes at most as many as it has parts; what the
 * counter grew beyond that while it ran, and all that it grew while none ran, was somebody else. Reading the counter cannot
 * miss anything, as listening for the kernel's announcements could; and the kernel announces every rule, ours too.
 */
final class NftWatch implements TableWatch {
    private final NftablesGeneration generation;
    private int ours;
    private int before;
    private boolean unreadable;

    NftWatch(NftablesGeneration generation) {
        this.generation = generation;
    }

    @Override
    public OptionalLong changesByOthers(IpFamily family) {
        try {
            int others = generation.read() - ours;
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
            return generation.read();
        } catch (LinuxNetException e) {
            // Whatever is counted now is wrong; the next question is answered with "unknown" once.
            unreadable = true;
            return 0;
        }
    }

    @Override
    public void close() {
        generation.close();
    }
}
