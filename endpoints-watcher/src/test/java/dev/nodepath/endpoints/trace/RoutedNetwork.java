package dev.nodepath.endpoints.trace;

import dev.nodepath.linux.address.IpAddress;
import dev.nodepath.linux.address.IpFamily;
import dev.nodepath.linux.iptables.IptablesNamespace;
import dev.nodepath.linux.namespace.NetworkNamespace;
import java.io.IOException;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;

/**
 * A node with two pods and, behind a neighbour, two pods of that other node and a client outside the cluster, each in
 * a namespace of its own. The neighbour sends everything through the node, even packets back to another of its own
 * pods, so that every answer meets the translation of its question. It discards packets to unknown addresses. Needs
 * root: for tests tagged netns.
 */
public final class RoutedNetwork implements AutoCloseable {
    /** Where packets come from and go to, by the addresses that each has. */
    public enum Host {
        NODE("192.0.2.1", "2001:db8:2::1"),
        NEIGHBOUR("192.0.2.2", "2001:db8:2::2"),
        /** A pod of the node that serves. */
        LOCAL_SERVER("10.244.1.2", "fd00:10:244:1::2"),
        LOCAL_CLIENT("10.244.1.3", "fd00:10:244:1::3"),
        /** A pod of the other node. */
        REMOTE_CLIENT("10.244.2.2", "fd00:10:244:2::2"),
        REMOTE_SERVER("10.244.2.3", "fd00:10:244:2::3"),
        OUTSIDE("198.51.100.2", "2001:db8:51::2");

        private final String ipv4;
        private final String ipv6;

        Host(String ipv4, String ipv6) {
            this.ipv4 = ipv4;
            this.ipv6 = ipv6;
        }

        /** Its address of a family. */
        public IpAddress address(IpFamily family) {
            return IpAddress.parse(family == IpFamily.IPV4 ? ipv4 : ipv6);
        }
    }

    private final Map<Host, IptablesNamespace> namespaces = new EnumMap<>(Host.class);

    public RoutedNetwork() throws IOException {
        for (Host host : Host.values()) {
            namespaces.put(host, IptablesNamespace.create());
            handle(host).setUp(1, true);
            handle(host).setSysctl("net/ipv6/conf/default/accept_dad", "0");
        }
        setRouting(Host.NODE);
        setRouting(Host.NEIGHBOUR);
        sh(Host.NODE, "ip link add uplink type veth peer name uplink netns " + name(Host.NEIGHBOUR));
        for (Host router : List.of(Host.NODE, Host.NEIGHBOUR)) {
            sh(router, "ip link set uplink up");
            for (IpFamily family : IpFamily.values()) {
                int prefix = family == IpFamily.IPV4 ? 24 : 64;
                sh(router, "ip address add " + router.address(family) + "/" + prefix + " dev uplink");
            }
        }
        connect(Host.NODE, "pod1", Host.LOCAL_SERVER);
        connect(Host.NODE, "pod2", Host.LOCAL_CLIENT);
        connect(Host.NEIGHBOUR, "pod1", Host.REMOTE_CLIENT);
        connect(Host.NEIGHBOUR, "pod2", Host.REMOTE_SERVER);
        connect(Host.NEIGHBOUR, "outside", Host.OUTSIDE);
        for (IpFamily family : IpFamily.values()) {
            routeByTheNode(family);
        }
    }

    /** No ICMP message of a refusal may be missing, so their rate has no limit. */
    private void setRouting(Host router) throws IOException {
        for (String conf : new String[] {"all", "default"}) {
            handle(router).setSysctl("net/ipv4/conf/" + conf + "/rp_filter", "0");
            handle(router).setSysctl("net/ipv4/conf/" + conf + "/send_redirects", "0");
        }
        handle(router).setSysctl("net/ipv4/ip_forward", "1");
        handle(router).setSysctl("net/ipv4/icmp_ratemask", "0");
        handle(router).setSysctl("net/ipv6/conf/all/forwarding", "1");
        handle(router).setSysctl("net/ipv6/icmp/ratelimit", "0");
    }

    private void routeByTheNode(IpFamily family) throws IOException {
        String ip = ip(family);
        String byTheNode = ip + " route add default via " + Host.NODE.address(family);
        sh(Host.NODE, ip + " route add default via " + Host.NEIGHBOUR.address(family));
        sh(
                Host.NEIGHBOUR,
                byTheNode,
                byTheNode + " table 100",
                ip + " rule add iif uplink lookup main suppress_prefixlength 0 pref 100",
                ip + " rule add iif uplink blackhole pref 101");
        for (String link : new String[] {"pod1", "pod2", "outside"}) {
            sh(Host.NEIGHBOUR, ip + " rule add iif " + link + " lookup 100 pref 102");
        }
    }

    private void connect(Host router, String link, Host host) throws IOException {
        List<String> here = new ArrayList<>(List.of(
                "ip link add " + link + " type veth peer name eth0 netns " + name(host),
                "ip link set " + link + " up"));
        List<String> there = new ArrayList<>(List.of("ip link set eth0 up"));
        for (IpFamily family : IpFamily.values()) {
            IpAddress gateway = gateway(host, family);
            here.add("ip address add " + gateway + "/" + family.bits() + " dev " + link);
            here.add(ip(family) + " route add " + host.address(family) + "/" + family.bits() + " dev " + link);
            there.add("ip address add " + host.address(family) + "/" + family.bits() + " dev eth0");
            there.add(ip(family) + " route add " + gateway + " dev eth0");
            there.add(ip(family) + " route add default via " + gateway + " dev eth0");
        }
        sh(router, here.toArray(String[]::new));
        sh(host, there.toArray(String[]::new));
    }

    /** The first address of a host's network. Its router has it towards the host. */
    private static IpAddress gateway(Host host, IpFamily family) {
        byte[] bytes = host.address(family).toBytes();
        bytes[bytes.length - 1] = 1;
        return IpAddress.of(bytes);
    }

    /** The node's address towards its own pods. */
    public static IpAddress podGateway(IpFamily family) {
        return gateway(Host.LOCAL_SERVER, family);
    }

    /** The addresses of the node's links. */
    public static Set<IpAddress> nodeAddresses(IpFamily family) {
        return Set.of(Host.NODE.address(family), podGateway(family));
    }

    private static String ip(IpFamily family) {
        return family == IpFamily.IPV4 ? "ip -4" : "ip -6";
    }

    private void sh(Host host, String... commands) throws IOException {
        iptables(host).run("sh", "-ec", String.join("\n", commands));
    }

    private String name(Host host) {
        return iptables(host).name();
    }

    /** A host's rules and commands. */
    public IptablesNamespace iptables(Host host) {
        return Objects.requireNonNull(namespaces.get(host), host::name);
    }

    /** A host's namespace. */
    public NetworkNamespace handle(Host host) {
        return iptables(host).opened();
    }

    @Override
    public void close() throws IOException {
        for (IptablesNamespace namespace : namespaces.values()) {
            namespace.close();
        }
    }
}
