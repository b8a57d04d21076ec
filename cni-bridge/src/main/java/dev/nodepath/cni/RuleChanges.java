package dev.nodepath.cni;

import dev.nodepath.linux.namespace.NetworkNamespace;
import dev.nodepath.linux.nftables.NftChange;
import dev.nodepath.linux.syscall.Errno;
import dev.nodepath.linux.syscall.LinuxNetException;
import java.io.IOException;
import java.util.List;

/**
 * Changes that depend on the rules that are there, such as a removal by handle.
 *
 * @param <X> the failure to find them out
 */
interface RuleChanges<X extends IOException> {
    /** The limit of tries. Each failed try means that another call or program removed a rule. */
    int TRIES_MAX = 100;

    /** The changes for the present rules. */
    List<NftChange> now() throws X;

    /** Applies them. If a rule or chain has gone meanwhile, looks again. */
    static <X extends IOException> void apply(NetworkNamespace host, RuleChanges<X> changes)
            throws X, LinuxNetException {
        for (int tries = 1; ; tries++) {
            try {
                List<NftChange> now = changes.now();
                if (!now.isEmpty()) {
                    host.nftApply(now);
                }
                return;
            } catch (LinuxNetException e) {
                if (e.errno() != Errno.ENOENT || tries == TRIES_MAX) {
                    throw e;
                }
            }
        }
    }
}
