package dev.nodepath.emulator.kubelet;

import dev.nodepath.emulator.traffic.CongestionControl;
import dev.nodepath.linux.link.Link;
import dev.nodepath.linux.namespace.NetworkNamespace;
import dev.nodepath.linux.syscall.LinuxNetException;

/** A network namespace with sockets: of a node, a Pod or the client. */
public final class HostNamespace {
    private HostNamespace() {}

    /**
     * Prepares a new namespace: its loopback link is up, it has the common congestion control, and TCP timestamps have
     * no random offset for each peer. A backend keeps closed connections in TIME_WAIT by address and port. The same
     * client port may come again with another offset, if an earlier connection went to a Service and a new one goes to
     * the pod. The backend would take the new one for an old duplicate, and the client would wait for a second. Real
     * clusters see that too (docs/decisions/proxy-iptables.md, {@code --random-fully}), but seldom. At ten thousand
     * connections a second it would dominate the measurement.
     */
    public static void prepare(NetworkNamespace namespace) throws LinuxNetException {
        Link loopback = namespace.link("lo").orElseThrow();
        namespace.setUp(loopback.index(), true);
        namespace.setSysctl("net/ipv4/tcp_timestamps", "2");
        CongestionControl.set(namespace);
    }
}
