package dev.nodepath.emulator.kubelet;

import dev.nodepath.linux.address.IpAddress;
import java.io.IOException;
import java.util.List;

/** Attaches Pods of one node to the cluster's network. */
interface CniPlugin {
    /**
     * Attaches a Pod and returns its addresses.
     *
     * @param hostPorts its ports that the node forwards to it
     */
    List<IpAddress> add(PodSandbox sandbox, List<ContainerSpec.Port> hostPorts)
            throws IOException, InterruptedException;

    /** Detaches a Pod. An unattached Pod is no error. */
    void delete(PodSandbox sandbox) throws IOException, InterruptedException;
}
