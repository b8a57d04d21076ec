package dev.nodepath.proxy.userspace;

import dev.nodepath.linux.address.IpFamily;
import dev.nodepath.linux.nftables.NftTables;
import dev.nodepath.linux.syscall.LinuxNetException;
import dev.nodepath.proxy.userspace.portals.ClientSources;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Removes the tables that a process with {@code --keep-client-address} has left to a process without it. Called by the
 * syncing thread.
 */
final class LeftSources {
    private static final Logger LOG = LoggerFactory.getLogger(LeftSources.class);

    private final IpFamily family;
    private final NftTables nft;
    private boolean looked;

    /** The tables of a family. */
    LeftSources(IpFamily family, NftTables nft) {
        this.family = family;
        this.nft = nft;
    }

    /** Removes them. The first call only waits: an ending process may still dial. */
    void remove() {
        boolean first = !looked;
        looked = true;
        try {
            if (!first && ClientSources.removeTable(nft, family)) {
                LOG.atInfo().addKeyValue("family", family).log("portal.left_clients_removed");
            }
        } catch (LinuxNetException e) {
            LOG.atWarn()
                    .addKeyValue("family", family)
                    .addKeyValue("error", e.getMessage())
                    .log("portal.clients_not_removed");
        }
    }
}
