package dev.nodepath.cni;

import dev.nodepath.linux.namespace.NetworkNamespace;
import dev.nodepath.linux.syscall.LinuxNetException;

/**
 * Deletes a container's link. A single call deletes it at once. A server may delete the links of simultaneous calls
 * together, see {@link NetworkNamespace#deleteLinks}.
 */
@FunctionalInterface
public interface LinkRemoval {

    /**
     * Deletes a veth pair by its end on the node, and returns when it is gone. A missing link is no error.
     *
     * @param host the node's namespace, open until this returns
     */
    void remove(NetworkNamespace host, int index) throws LinuxNetException;

    /** Deletes each link by itself. */
    static LinkRemoval immediate() {
        return (host, index) -> {
            try {
                host.deleteLink(index);
            } catch (LinuxNetException e) {
                if (!e.isMissing()) {
                    throw e;
                }
            }
        };
    }
}
