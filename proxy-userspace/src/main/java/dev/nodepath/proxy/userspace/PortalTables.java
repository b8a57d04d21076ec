package dev.nodepath.proxy.userspace;

import dev.nodepath.linux.KernelLinuxNet;
import dev.nodepath.linux.nftables.NftTables;
import dev.nodepath.linux.syscall.LinuxNetException;
import dev.nodepath.proxy.userspace.portals.TablePortals;
import java.util.Optional;

/** The tables of nf_tables in the network namespace of the process. */
@FunctionalInterface
interface PortalTables {
    /** Opens them; empty if the kernel has no nf_tables. */
    Optional<NftTables> open() throws LinuxNetException;

    /** Opens those of the calling thread's namespace. */
    static Optional<NftTables> ofKernel() throws LinuxNetException {
        NftTables nft = new KernelLinuxNet().nftTables();
        boolean kept = false;
        try {
            kept = TablePortals.isKnown(nft);
            return kept ? Optional.of(nft) : Optional.empty();
        } finally {
            if (!kept) {
                nft.close();
            }
        }
    }
}
