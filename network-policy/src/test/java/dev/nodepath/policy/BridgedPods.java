package dev.nodepath.policy;

import dev.nodepath.linux.address.IpAddress;
import dev.nodepath.linux.address.IpFamily;
import dev.nodepath.linux.iptables.IptablesNamespace;
import dev.nodepath.linux.namespace.NetworkNamespace;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.ProtocolFamily;
import java.net.StandardProtocolFamily;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/**
 * A node with four pods on a bridge whose packets pass netfilter, and a routed client outside the cluster. All but the
 * client serve TCP on two ports. Needs root: for tests tagged netns.
 */
final class BridgedPods implements AutoCloseable {
    static final List<Integer> PORTS = List.of(80, 81);

    /** The hosts, by name. */
    enum Host {
        NODE("10.244.1.1", "fd00:244:1::1"),
        XA("10.244.1.2", "fd00:244:1::2"),
        XB("10.244.1.3", "fd00:244:1::3"),
        YA("10.244.1.4", "fd00:244:1::4"),
        YB("10.244.1.5", "fd00:244:1::5"),
        OUTSIDE("192.0.2.2", "2001:db8::2");

        private final String ipv4;
        private final String ipv6;

        Host(String ipv4, String ipv6) {
            this.ipv4 = ipv4;
            this.ipv6 = ipv6;
        }

        IpAddress address(IpFamily family) {
            return IpAddress.parse(family == IpFamily.IPV4 ? ipv4 : ipv6);
        }

        boolean isPod() {
            return this != NODE && this != OUTSIDE;
        }
    }

    private final Map<Host, IptablesNamespace> namespaces = new EnumMap<>(Host.class);
    private final List<ServerSocketChannel> servers = new ArrayList<>();

    BridgedPods() throws IOException {
        for (Host host : Host.values()) {
            namespaces.put(host, IptablesNamespace.create());
            handle(host).setUp(1, true);
            handle(host).setSysctl("net/ipv6/conf/default/accept_dad", "0");
        }
        handle(Host.NODE).setSysctl("net/ipv4/ip_forward", "1");
        handle(Host.NODE).setSysctl("net/ipv6/conf/all/forwarding", "1");
        run(
                Host.NODE,
                "ip link add cni0 type bridge nf_call_iptables 1 nf_call_ip6tables 1",
                "ip address add 10.244.1.1/24 dev cni0",
                "ip address add fd00:244:1::1/64 dev cni0",
                "ip link set cni0 up",
                "ip link add uplink type veth peer name eth0 netns " + name(Host.OUTSIDE),
                "ip address add 192.0.2.1/24 dev uplink",
                "ip address add 2001:db8::1/64 dev uplink",
                "ip link set uplink up");
        for (Host host : Host.values()) {
            if (host.isPod()) {
                run(
                        Host.NODE,
                        "ip link add " + host + " type veth peer name eth0 netns " + name(host),
                        "ip link set " + host + " master cni0 up");
            }
            if (host != Host.NODE) {
                run(
                        host,
                        "ip address add " + host.ipv4 + "/24 dev eth0",
                        "ip address add " + host.ipv6 + "/64 dev eth0",
                        "ip link set eth0 up",
                        "ip route add default via " + (host.isPod() ? Host.NODE.ipv4 : "192.0.2.1"),
                        "ip -6 route add default via " + (host.isPod() ? Host.NODE.ipv6 : "2001:db8::1"));
            }
            if (host != Host.OUTSIDE) {
                serve(host);
            }
        }
    }

    private void serve(Host host) throws IOException {
        for (int port : PORTS) {
            ServerSocketChannel server = handle(host).call(() -> ServerSocketChannel.open());
            server.bind(new InetSocketAddress("::", port), 1000);
            server.configureBlocking(false);
            servers.add(server);
        }
    }

    /** Begins a connection, which is there when the channel says so. */
    SocketChannel connect(Host from, Host to, IpFamily family, int port) throws IOException {
        ProtocolFamily protocol = family == IpFamily.IPV4 ? StandardProtocolFamily.INET : StandardProtocolFamily.INET6;
        SocketChannel channel = handle(from).call(() -> SocketChannel.open(protocol));
        channel.configureBlocking(false);
        channel.connect(new InetSocketAddress(to.address(family).toInetAddress(), port));
        return channel;
    }

    /** The connections that were made since the last call. */
    List<SocketChannel> accepted() throws IOException {
        List<SocketChannel> accepted = new ArrayList<>();
        for (ServerSocketChannel server : servers) {
            for (SocketChannel next = server.accept(); next != null; next = server.accept()) {
                accepted.add(next);
            }
        }
        return accepted;
    }

    void run(Host host, String... commands) throws IOException {
        namespace(host).run("sh", "-ec", String.join("\n", commands));
    }

    private IptablesNamespace namespace(Host host) {
        return Objects.requireNonNull(namespaces.get(host));
    }

    NetworkNamespace handle(Host host) {
        return namespace(host).opened();
    }

    private String name(Host host) {
        return namespace(host).name();
    }

    @Override
    public void close() throws IOException {
        for (ServerSocketChannel server : servers) {
            server.close();
        }
        for (IptablesNamespace namespace : namespaces.values()) {
            namespace.close();
        }
    }
}
