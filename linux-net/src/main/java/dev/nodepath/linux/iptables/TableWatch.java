package dev.nodepath.linux.iptables;

import dev.nodepath.linux.KernelLinuxNet;
import dev.nodepath.linux.address.IpFamily;
import dev.nodepath.linux.syscall.LinuxNetException;
import java.util.OptionalLong;

/**
 * Tells without a listing whether other programs have changed the tables of a namespace. The commands that share the
 * watch are not others. For one thread at a time.
 */
public sealed interface TableWatch extends AutoCloseable permits NftWatch, LegacyWatch, TableWatch.Blind {

    /**
     * Opens a watch of the namespace that the calling thread is in.
     *
     * @throws LinuxNetException if the kernel does not let it
     */
    static TableWatch open(KernelLinuxNet kernel, IptablesVariant variant) throws LinuxNetException {
        return variant == IptablesVariant.NFT ? new NftWatch(kernel.nftTables()) : LegacyWatch.open(kernel);
    }

    /** A number that grows with each change by others. Its value has no meaning. Empty if unknown. */
    OptionalLong changesByOthers(IpFamily family);

    /** Whether it sees every change by others, also during a command of ours. */
    default boolean seesAllChanges() {
        return false;
    }

    /** A command of ours is about to change tables of this family. */
    void begin(IpFamily family);

    /**
     * The command has ended, successfully or not.
     *
     * @param commits the most transactions that it may have committed
     */
    void end(IpFamily family, int commits);

    @Override
    void close();

    /** A watch that sees nothing, if there is no better one. */
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
