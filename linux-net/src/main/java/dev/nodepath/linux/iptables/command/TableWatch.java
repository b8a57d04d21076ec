package dev.nodepath.linux.iptables.command;

import dev.nodepath.linux.KernelLinuxNet;
import dev.nodepath.linux.address.IpFamily;
import dev.nodepath.linux.syscall.LinuxNetException;
import java.util.OptionalLong;

/**
 * Tells, without listing a table, whether anybody but the commands that share this watch has changed the tables of a
 * namespace. For one thread at a time.
 */
public sealed interface TableWatch extends AutoCloseable permits NftWatch, LegacyWatch, TableWatch.Blind {

    /**
     * Opens a watch of the namespace that the calling thread is in.
     *
     * @throws LinuxNetException if the kernel does not let it
     */
    static TableWatch open(KernelLinuxNet kernel, IptablesVariant variant) throws LinuxNetException {
        return variant == IptablesVariant.NFT ? new NftWatch(kernel.nftablesGeneration()) : LegacyWatch.open(kernel);
    }

    /**
     * How many changes by others have been seen so far; the number itself means nothing, that it grew does. Empty if it
     * cannot be told.
     */
    OptionalLong changesByOthers(IpFamily family);

    /** Whether no change by others is missed, also none while a command of ours ran. */
    default boolean seesAllChanges() {
        return false;
    }

    /** A command of ours is about to change tables of this family. */
    void begin(IpFamily family);

    /**
     * That command has ended, well or not.
     *
     * @param commits the most transactions that it can have committed
     */
    void end(IpFamily family, int commits);

    @Override
    void close();

    /** Sees nothing: where nothing better can be had. */
    record Blind() implements TableWatch {
        @Override
        public OptionalLong changesByOthers(IpFamily family) {
            return OptionalLong.empty();
        }

        @Override
        public void begin(IpFamily family) {}

        @Override
        public void end(IpFamily family, int commits) {}

        @Override
        public void close() {}
    }
}
