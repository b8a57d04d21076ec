package dev.nodepath.proxy.userspace;

import dev.nodepath.linux.KernelLinuxNet;
import dev.nodepath.linux.namespace.NetworkNamespace;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;

/**
 * The current network namespace as a node: {@code eth0} with 172.18.0.2, whose other end is a namespace outside, and a
 * bridge with 10.244.0.1, on which a pod namespace has 10.244.0.5. For tests that run in a namespace of their own.
 */
final class KernelTestNode {
    static final String ADDRESS = "172.18.0.2";
    static final String BRIDGE_ADDRESS = "10.244.0.1";
    static final String ADDRESS6 = "fd00:172:18::2";
    static final String BRIDGE_ADDRESS6 = "fd00:10:244::1";

    private static final String ASK_STREAM = "read -r line <&3 && echo \"$line\"";

    /** A datagram must be read at once, because a read discards the remainder. */
    private static final String ASK_BY_DATAGRAM = "echo hello >&3 && dd bs=100 count=1 status=none <&3";

    private static final String TELL = "echo hello >&3";

    private static final String POD = "userspace-pod";
    private static final String OUTSIDE = "userspace-outside";

    KernelTestNode() throws IOException, InterruptedException {
        if (!run("ip", "-brief", "link").lines().allMatch(link -> link.startsWith("lo"))) {
            throw new IllegalStateException("links: more than lo (expected: a network namespace of scripts/enclose)");
        }
        script("""
                ip link set lo up
                sysctl -qw net.ipv4.ip_forward=1 net.ipv6.conf.all.forwarding=1 net.ipv6.conf.all.accept_dad=0 net.ipv6.conf.default.accept_dad=0
                ip netns add POD
                ip netns add OUTSIDE
                for each in POD OUTSIDE; do
                nsenter --net=/run/netns/$each sysctl -qw net.ipv6.conf.all.accept_dad=0 net.ipv6.conf.default.accept_dad=0
                done
                ip link add cni0 address 02:00:0a:f4:00:01 type bridge
                ip addr add 10.244.0.1/24 dev cni0
                ip link set cni0 up
                ip link add veth-pod type veth peer name eth0 netns POD
                ip link set veth-pod master cni0 up
                ip -n POD link set lo up
                ip -n POD addr add 10.244.0.5/24 dev eth0
                ip -n POD link set eth0 up
                ip -n POD route add default via 10.244.0.1
                ip link add eth0 type veth peer name eth0 netns OUTSIDE
                ip addr add 172.18.0.2/24 dev eth0
                ip link set eth0 up
                ip -n OUTSIDE addr add 172.18.0.1/24 dev eth0
                ip -n OUTSIDE link set eth0 up
                ip -n OUTSIDE route add 192.0.2.0/24 via 172.18.0.2
                ip route add default via 172.18.0.1
                ip addr add fd00:10:244::1/64 dev cni0 nodad
                ip -n POD addr add fd00:10:244::5/64 dev eth0 nodad
                ip -n POD route add default via fd00:10:244::1
                ip addr add fd00:172:18::2/64 dev eth0 nodad
                ip -n OUTSIDE addr add fd00:172:18::1/64 dev eth0 nodad
                ip -6 route add default via fd00:172:18::1
                """);
    }

    /** Gives the namespace outside the addresses of a pod, too: it is another node then. */
    void addRemotePod(String address, String address6) throws IOException, InterruptedException {
        script("""
                ip -n OUTSIDE link set lo up
                ip -n OUTSIDE addr add %s/32 dev lo
                ip -n OUTSIDE addr add %s/128 dev lo nodad
                ip -n OUTSIDE route add 10.244.0.0/24 via 172.18.0.2
                ip -n OUTSIDE route add fd00:10:244::/64 via fd00:172:18::2
                """.formatted(address, address6));
    }

    /** Sets the range of local ports, and returns that before. */
    String localPorts(String range) throws IOException, InterruptedException {
        String before = run("sysctl", "-n", "net.ipv4.ip_local_port_range").strip();
        script("sysctl -qw net.ipv4.ip_local_port_range='" + range + "'\n");
        return before;
    }

    /** Runs a command in the namespace outside. */
    void outside(String command) throws IOException, InterruptedException {
        script("nsenter --net=/run/netns/OUTSIDE " + command + "\n");
    }

    /** A remote pod behind a link of the outside that takes packets of 1300 bytes, though the pod asks for 1500. */
    void addPodBehindSmallLink(String address, String address6) throws IOException, InterruptedException {
        script("""
                ip netns add userspace-far
                nsenter --net=/run/netns/userspace-far sysctl -qw net.ipv6.conf.all.accept_dad=0 \\
                    net.ipv6.conf.default.accept_dad=0
                ip -n OUTSIDE link add small type veth peer name eth0 netns userspace-far
                ip -n OUTSIDE link set small mtu 1300 up
                nsenter --net=/run/netns/OUTSIDE sysctl -qw net.ipv4.ip_forward=1 net.ipv6.conf.all.forwarding=1
                ip -n OUTSIDE addr add 192.168.9.1/24 dev small
                ip -n OUTSIDE addr add fd00:168:9::1/64 dev small nodad
                ip -n userspace-far link set lo up
                ip -n userspace-far link set eth0 mtu 1300 up
                ip -n userspace-far addr add 192.168.9.2/24 dev eth0
                ip -n userspace-far addr add fd00:168:9::2/64 dev eth0 nodad
                ip -n userspace-far addr add %1$s/32 dev lo
                ip -n userspace-far addr add %2$s/128 dev lo nodad
                ip -n userspace-far route add default via 192.168.9.1 advmss 1460
                ip -n userspace-far route add default via fd00:168:9::1 advmss 1440
                ip -n OUTSIDE route add %1$s via 192.168.9.2
                ip -n OUTSIDE route add %2$s via fd00:168:9::2
                """.formatted(address, address6));
    }

    void removePodBehindSmallLink() throws IOException, InterruptedException {
        script("""
                ip -n OUTSIDE link del small
                ip netns del userspace-far
                """);
    }

    /** Leads to a remote pod by VXLAN. The namespace outside takes its packets from this node's address alone. */
    void addTunnelTo(String address) throws IOException, InterruptedException {
        script("""
                ip link add tunnel type vxlan id 7 local 172.18.0.2 remote 172.18.0.1 dstport 4789 dev eth0
                ip addr add 192.168.7.2/24 dev tunnel
                ip link set tunnel up
                ip route add %s via 192.168.7.1
                ip -n OUTSIDE link add tunnel type vxlan id 7 local 172.18.0.1 remote 172.18.0.2 dstport 4789 dev eth0
                ip -n OUTSIDE addr add 192.168.7.1/24 dev tunnel
                ip -n OUTSIDE link set tunnel up
                ip -n OUTSIDE route replace 10.244.0.0/24 via 192.168.7.2
                nsenter --net=/run/netns/OUTSIDE iptables -A INPUT -p udp --dport 4789 ! -s 172.18.0.2 -j DROP
                """.formatted(address));
    }

    /** Puts another pod on the bridge, with 10.244.0.6; its namespace is {@code second}. */
    void addSecondPod() throws IOException, InterruptedException {
        script("""
                ip netns add userspace-second
                nsenter --net=/run/netns/userspace-second sysctl -qw net.ipv6.conf.all.accept_dad=0 net.ipv6.conf.default.accept_dad=0
                ip link add veth-second type veth peer name eth0 netns userspace-second
                ip link set veth-second master cni0 up
                ip -n userspace-second link set lo up
                ip -n userspace-second addr add 10.244.0.6/24 dev eth0
                ip -n userspace-second addr add fd00:10:244::6/64 dev eth0 nodad
                ip -n userspace-second link set eth0 up
                ip -n userspace-second route add default via 10.244.0.1
                ip -n userspace-second route add default via fd00:10:244::1
                """);
    }

    void removeSecondPod() throws IOException, InterruptedException {
        script("""
                ip link del veth-second
                ip netns del userspace-second
                """);
    }

    /** Whether bridges pass frames through iptables. */
    void filterBridges(boolean on) throws IOException, InterruptedException {
        script("sysctl -qw net.bridge.bridge-nf-call-iptables=%1$d net.bridge.bridge-nf-call-ip6tables=%1$d\n"
                .formatted(on ? 1 : 0));
    }

    /** Runs {@code ip} with these words. */
    void ip(String words) throws IOException, InterruptedException {
        script("ip " + words + "\n");
    }

    /** The first line that a server sends to a client in the pod; empty if it refuses or resets. */
    String askFromPod(String address, int port) throws IOException, InterruptedException {
        return ask(POD, "tcp", address, port);
    }

    /** Likewise, in the pod of {@link #addSecondPod}. */
    String askFromSecondPod(String address, int port) throws IOException, InterruptedException {
        return ask("userspace-second", "tcp", address, port);
    }

    /** A server's answer to a datagram from the pod; empty without one. */
    String askByDatagramFromPod(String address, int port) throws IOException, InterruptedException {
        return ask(POD, "udp", address, port);
    }

    /** Likewise, from outside. */
    String askByDatagramFromOutside(String address, int port) throws IOException, InterruptedException {
        return ask(OUTSIDE, "udp", address, port);
    }

    /** Sends a datagram from outside and does not wait for an answer. */
    void tellByDatagramFromOutside(String address, int port) throws IOException, InterruptedException {
        exchange(OUTSIDE, "udp", address, port, TELL);
    }

    /** Opens a resource in the namespace of the {@code pod}, or {@code outside}. */
    <T> T inside(String where, NetworkNamespace.NamespaceTask<T> opening) throws IOException {
        try (NetworkNamespace namespace = new KernelLinuxNet().openNamed("userspace-" + where)) {
            return namespace.call(opening);
        }
    }

    /** The first line that a server sends to a client outside. */
    String askFromOutside(String address, int port) throws IOException, InterruptedException {
        return ask(OUTSIDE, "tcp", address, port);
    }

    private static String ask(String namespace, String protocol, String address, int port)
            throws IOException, InterruptedException {
        return exchange(namespace, protocol, address, port, protocol.equals("tcp") ? ASK_STREAM : ASK_BY_DATAGRAM);
    }

    /** The output of a shell script with the socket as its descriptor 3. */
    private static String exchange(String namespace, String protocol, String address, int port, String script)
            throws IOException, InterruptedException {
        return run(
                        "nsenter",
                        "--net=/run/netns/" + namespace,
                        "timeout",
                        "5",
                        "bash",
                        "-c",
                        "{ exec 3<>/dev/" + protocol + "/" + address + "/" + port + " && " + script + "; } 2>&1")
                .strip();
    }

    /** The tables of the relay's portals, as {@code nft} lists them; empty without any. */
    static String tables() throws IOException, InterruptedException {
        return run("sh", "-c", "nft list ruleset | sed -n '/^table .* nodepath/,/^}/p'");
    }

    /** A change that leads nowhere else, after which the kernel forgets the routes that sockets have found. */
    void changeRoutes() throws IOException, InterruptedException {
        script("ip route add 198.51.100.0/24 via 172.18.0.1; ip route del 198.51.100.0/24\n");
    }

    void remove() throws IOException, InterruptedException {
        script("""
                ip link del veth-pod
                ip link del eth0
                ip netns del POD
                ip netns del OUTSIDE
                ip link del cni0
                """);
    }

    private static void script(String lines) throws IOException, InterruptedException {
        run("sh", "-ec", lines.replace("POD", POD).replace("OUTSIDE", OUTSIDE) + "echo done");
    }

    /** The output of a command, whatever its exit code. */
    private static String run(String... command) throws IOException, InterruptedException {
        Process process =
                new ProcessBuilder(List.of(command)).redirectErrorStream(true).start();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        process.waitFor();
        if (command[0].equals("sh") && process.exitValue() != 0) {
            throw new IOException(output);
        }
        return output;
    }
}
