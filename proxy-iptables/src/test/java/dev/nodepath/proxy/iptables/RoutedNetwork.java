package dev.nodepath.proxy.iptables;

import dev.nodepath.linux.KernelLinuxNet;
import dev.nodepath.linux.iptables.command.IptablesNamespace;
import dev.nodepath.linux.namespace.NetworkNamespace;
import java.io.IOException;
import java.util.EnumMap;
import java.util.Map;
import java.util.Objects;

/**
 * A node with two pods and, behind a neighbour, two pods of that other node and a client outside the cluster, each in a
 * namespace of its own. The neighbour sends everything by way of the node, also what goes back to another of its own, so that
 * every answer meets the translation that its question has met. Needs root: for tests tagged netns.
 */
final class RoutedNetwork implements AutoCloseable {
    /** The node's address towards the neighbour. */
    static final String NODE_IP = "192.0.2.1";

    /** The node's address towards its own pods. */
    static final String POD_GATEWAY = "10.244.1.1";

    /** Where packets come from and go to, by the address that each has. */
    enum Host {
        NODE(NODE_IP),
        NEIGHBOUR("192.0.2.2"),
        /** A pod of the node that serves. */
        LOCAL_SERVER("10.244.1.2"),
        LOCAL_CLIENT("10.244.1.3"),
        /** A pod of the other node. */
        REMOTE_CLIENT("10.244.2.2"),
        REMOTE_SERVER("10.244.2.3"),
        OUTSIDE("198.51.100.2");

        private final String address;

        Host(String address) {
            this.address = address;
        }

        String address() {
            return address;
        }
    }

    private final KernelLinuxNet net = new KernelLinuxNet();
    private final Map<Host, IptablesNamespace> namespaces = new EnumMap<>(Host.class);
    private final Map<Host, NetworkNamespace> handles = new EnumMap<>(Host.class);

    RoutedNetwork() throws IOException {
        for (Host host : Host.values()) {
            IptablesNamespace namespace = IptablesNamespace.create();
            namespaces.put(host, namespace);
            NetworkNamespace handle = net.openNamed(namespace.name());
            handles.put(host, handle);
            handle.setUp(1, true);
        }
        for (Host router : new Host[] {Host.NODE, Host.NEIGHBOUR}) {
            for (String conf : new String[] {"all", "default"}) {
                handle(router).setSysctl("net/ipv4/conf/" + conf + "/rp_filter", "0");
                handle(router).setSysctl("net/ipv4/conf/" + conf + "/send_redirects", "0");
            }
            handle(router).setSysctl("net/ipv4/ip_forward", "1");
        }
        sh(
                Host.NODE,
                "ip link add uplink type veth peer name uplink netns " + name(Host.NEIGHBOUR),
                "ip address add " + NODE_IP + "/24 dev uplink",
                "ip link set uplink up");
        sh(Host.NEIGHBOUR, "ip address add 192.0.2.2/24 dev uplink", "ip link set uplink up");
        sh(Host.NODE, "ip route add default via 192.0.2.2");
        sh(Host.NEIGHBOUR, "ip route add default via " + NODE_IP, "ip route add default via " + NODE_IP + " table 100");
        connect(Host.NODE, "pod1", POD_GATEWAY, Host.LOCAL_SERVER);
        connect(Host.NODE, "pod2", POD_GATEWAY, Host.LOCAL_CLIENT);
        connect(Host.NEIGHBOUR, "pod1", "10.244.2.1", Host.REMOTE_CLIENT);
        connect(Host.NEIGHBOUR, "pod2", "10.244.2.1", Host.REMOTE_SERVER);
        connect(Host.NEIGHBOUR, "outside", "198.51.100.1", Host.OUTSIDE);
        for (String link : new String[] {"pod1", "pod2", "outside"}) {
            sh(Host.NEIGHBOUR, "ip rule add iif " + link + " lookup 100");
        }
    }

    private void connect(Host router, String link, String gateway, Host host) throws IOException {
        sh(
                router,
                "ip link add " + link + " type veth peer name eth0 netns " + name(host),
                "ip address add " + gateway + "/32 dev " + link,
                "ip link set " + link + " up",
                "ip route add " + host.address() + "/32 dev " + link);
        sh(
                host,
                "ip address add " + host.address() + "/32 dev eth0",
                "ip link set eth0 up",
                "ip route add " + gateway + " dev eth0 scope link",
                "ip route add default via " + gateway);
    }

    private void sh(Host host, String... commands) throws IOException {
        iptables(host).run("sh", "-ec", String.join("\n", commands));
    }

    private String name(Host host) {
        return iptables(host).name();
    }

    IptablesNamespace iptables(Host host) {
        return Objects.requireNonNull(namespaces.get(host), host::name);
    }

    NetworkNamespace handle(Host host) {
        return Objects.requireNonNull(handles.get(host), host::name);
    }

    @Override
    public void close() throws IOException {
        for (NetworkNamespace handle : handles.values()) {
            handle.close();
        }
        for (IptablesNamespace namespace : namespaces.values()) {
            namespace.close();
        }
    }
}
