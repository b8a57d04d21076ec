package dev.nodepath.proxy.userspace;

import dev.nodepath.linux.nftables.NftTables;
import dev.nodepath.linux.syscall.LinuxNetException;

/** The tables of nf_tables in the network namespace of the calling thread. */
@FunctionalInterface
interface PortalTables {
    NftTables open() throws LinuxNetException;
}
