package dev.nodepath.proxy.userspace;

import dev.nodepath.linux.address.IpFamily;
import dev.nodepath.linux.namespace.NetworkNamespace;
import dev.nodepath.linux.nftables.kernel.NftTables;
import dev.nodepath.proxy.userspace.portals.KeptAnswers;
import dev.nodepath.proxy.userspace.portals.TransparentConnections;
import java.io.IOException;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What a process with {@code --keep-client-address} has left to one without: it is removed when no connection needs it
 * any more. Called by the syncing thread.
 */
final class LeftAnswers {
    private static final Logger LOG = LoggerFactory.getLogger(LeftAnswers.class);

    private final IpFamily family;
    private final Host host;
    private final KeptAnswers answers;
    private boolean looked;

    /** Those of a family. */
    LeftAnswers(IpFamily family, Host host, NftTables nft) {
        this.family = family;
        this.host = host;
        this.answers = new KeptAnswers(nft, family);
    }

    /** Removes them if nobody needs them. The first call only waits: a process that ends may still dial. */
    void removeUnused() {
        boolean first = !looked;
        looked = true;
        try {
            if (!first && answers.exist() && !areUsed()) {
                answers.stop();
                LOG.atInfo().addKeyValue("family", family).log("portal.left_answers_removed");
            }
        } catch (IOException e) {
            LOG.atWarn()
                    .addKeyValue("family", family)
                    .addKeyValue("error", e.getMessage())
                    .log("portal.answers_not_removed");
        }
    }

    private boolean areUsed() throws IOException {
        try (NetworkNamespace namespace = host.open()) {
            return new TransparentConnections().any(family, Set.copyOf(namespace.hostAddresses()));
        }
    }
}
