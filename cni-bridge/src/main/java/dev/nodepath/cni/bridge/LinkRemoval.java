package dev.nodepath.cni.bridge;

import dev.nodepath.linux.namespace.NetworkNamespace;
import dev.nodepath.linux.syscall.LinuxNetException;

/**
 * How a container's link is taken from the node. A call by itself deletes it at once; a server may gather the links of calls
 * that run at the same time and delete them together, see {@link NetworkNamespace#deleteLinks}.
 */
@FunctionalInterface
public interface LinkRemoval {

    /**
     * Takes a veth pair away by its end on the node, and returns when it is gone. That it is gone already is fine.
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
