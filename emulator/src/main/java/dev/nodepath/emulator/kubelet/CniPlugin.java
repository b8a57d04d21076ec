package dev.nodepath.emulator.kubelet;

import dev.nodepath.linux.address.IpAddress;
import java.io.IOException;
import java.util.List;

/** Attaches Pods of one node to the cluster's network. */
interface CniPlugin {
    /** Attaches a Pod and returns its addresses. */
    List<IpAddress> add(PodSandbox sandbox) throws IOException, InterruptedException;

    /** Detaches a Pod. One that is not attached is no error. */
    void delete(PodSandbox sandbox) throws IOException, InterruptedException;
}
