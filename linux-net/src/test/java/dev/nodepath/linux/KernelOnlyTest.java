package dev.nodepath.linux;

import static dev.nodepath.linux.ContractFixture.assertRefused;
import static dev.nodepath.linux.ContractFixture.onLink;
import static dev.nodepath.linux.ContractFixture.via;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import dev.nodepath.linux.address.Cidr;
import dev.nodepath.linux.address.IpAddress;
import dev.nodepath.linux.address.MacAddress;
import dev.nodepath.linux.link.BridgeSpec;
import dev.nodepath.linux.link.InterfaceAddress;
import dev.nodepath.linux.link.Link;
import dev.nodepath.linux.namespace.NetworkNamespace;
import dev.nodepath.linux.namespace.VethSpec;
import dev.nodepath.linux.syscall.Errno;
import dev.nodepath.linux.syscall.LinuxNetException;
import java.net.InetSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests that need the real kernel: other programs, sockets, descriptors, and large numbers. */
@Tag("netns")
class KernelOnlyTest {
    private static final String NAME = "np-kernel";
    private static final KernelLinuxNet NET = new KernelLinuxNet();

    @SuppressWarnings("NullAway.Init") // lives from @BeforeEach to @AfterEach
    private NetworkNamespace namespace;

    @BeforeEach
    void create() throws LinuxNetException {
        namespace = NET.create(NAME);
    }

    @AfterEach
    void delete() throws LinuxNetException {
        namespace.close();
        NET.delete(NAME);
    }

    @Test
    void leavesTheCallingThreadWhereItWas() throws Exception {
        Path own = Path.of("/proc/thread-self/ns/net");
        Path before = Files.readSymbolicLink(own);
        namespace.setSysctl("net/ipv4/ip_default_ttl", "77");
        assertThat(namespace.sysctl("net/ipv4/ip_default_ttl")).isEqualTo("77");
        assertRefused(Errno.ENOENT, () -> namespace.sysctl("net/ipv4/conf/missing/forwarding"));
        assertThat(Files.readSymbolicLink(own)).isEqualTo(before);
        try (NetworkNamespace process = NET.current();
                NetworkNamespace same = NET.openNamed(NAME)) {
            assertThat(process.sysctl("net/ipv4/ip_default_ttl")).isNotEqualTo("77");
            // From a thread that is elsewhere.
            assertThat(namespace.call(() -> same.sysctl("net/ipv4/ip_default_ttl")))
                    .isEqualTo("77");
            assertThat(namespace.call(() -> process.sysctl("net/ipv4/ip_default_ttl")))
                    .isNotEqualTo("77");
        }
    }

    @Test
    void handlesOfTheProcessTakeTurnsAtItsSockets() throws Exception {
        NetworkNamespace first = NET.current();
        List<Link> links = first.links();
        first.close();
        int open = openFiles();
        int handles = 100;
        for (int i = 0; i < handles; i++) {
            try (NetworkNamespace next = NET.current()) {
                assertThatIllegalStateException().isThrownBy(first::links);
                assertThat(next.links()).isEqualTo(links);
                assertThat(next.link("missing")).isEmpty();
                assertRefused(Errno.ENODEV, () -> next.setUp(12_345, true));
            }
        }
        // Other threads of this process open and close some, too.
        assertThat(openFiles()).isLessThan(open + handles);
    }

    private static int openFiles() {
        return Optional.ofNullable(Path.of("/proc/self/fd").toFile().list()).orElseThrow().length;
    }

    @Test
    void ipSeesOurNamespacesAndWeSeeIts() throws Exception {
        assertThat(run("ip", "netns", "list")).contains(NAME);
        assertThat(run("ip", "netns", "exec", NAME, "ip", "-o", "link")).contains("1: lo:");
        run("ip", "netns", "add", "np-other");
        assertThat(NamespaceNames.all()).contains(NAME, "np-other");
        try (NetworkNamespace other = NET.openNamed("np-other")) {
            other.createBridge(new BridgeSpec("br0", Optional.empty(), Optional.empty(), false));
            assertThat(run("ip", "-n", "np-other", "-br", "link", "show", "type", "bridge"))
                    .startsWith("br0");
        }
        NET.delete("np-other");
        assertThat(run("ip", "netns", "list")).doesNotContain("np-other");
        NET.create("np-other").close();
        run("ip", "netns", "delete", "np-other");
        assertThat(NamespaceNames.all()).doesNotContain("np-other");
    }

    @Test
    void ipSeesWhatWeMade() throws Exception {
        BridgeSpec spec =
                new BridgeSpec("br0", Optional.of(MacAddress.parse("0a:58:0a:f4:01:01")), Optional.of(1400), true);
        Link bridge = namespace.createBridge(spec);
        Link port = namespace.createVeth(new VethSpec("v0", Optional.empty(), "p0", namespace, Optional.of(1400)));
        namespace.setMaster(port.index(), bridge.index());
        namespace.setHairpin(port.index(), true);
        namespace.setForwardsReserved(port.index(), true);
        namespace.addAddress(bridge.index(), Cidr.parse("10.1.0.1/24"));
        namespace.addAddress(bridge.index(), Cidr.parse("fd00::1/64"));
        namespace.setUp(bridge.index(), true);
        namespace.addRoute(via("10.9.0.0/16", "10.1.0.2", 0));
        assertThat(run("ip", "-n", NAME, "-d", "link", "show", "br0"))
                .contains("0a:58:0a:f4:01:01", "mtu 1400", "nf_call_iptables 1", "nf_call_ip6tables 1");
        assertThat(run("ip", "-n", NAME, "-d", "link", "show", "v0"))
                .contains("master br0", "hairpin on", "group_fwd_mask 0xfffd");
        assertThat(run("ip", "-n", NAME, "addr", "show", "br0"))
                .contains("inet 10.1.0.1/24 brd 10.1.0.255 scope global br0", "inet6 fd00::1/64 scope global nodad");
        assertThat(run("ip", "-n", NAME, "route", "show", "10.9.0.0/16")).contains("via 10.1.0.2 dev br0 proto static");
    }

    @Test
    void readsRoutesThatHaveMoreThanWeCanMake() throws Exception {
        int link = namespace
                .createVeth(new VethSpec("v0", Optional.empty(), "p0", namespace, Optional.empty()))
                .index();
        namespace.setUp(link, true);
        namespace.addAddress(link, Cidr.parse("10.1.0.1/24"));
        namespace.addAddress(link, Cidr.parse("fd00::1/64"));
        run(
                "ip",
                "-n",
                NAME,
                "route",
                "add",
                "10.8.0.0/16",
                "nexthop",
                "via",
                "10.1.0.2",
                "nexthop",
                "via",
                "10.1.0.3");
        run(
                "ip",
                "-n",
                NAME,
                "-6",
                "route",
                "add",
                "fd08::/48",
                "nexthop",
                "via",
                "fd00::2",
                "nexthop",
                "via",
                "fd00::3");
        run("ip", "-n", NAME, "route", "add", "10.7.0.0/16", "via", "inet6", "fe80::9", "dev", "v0");
        run("ip", "-n", NAME, "route", "add", "10.6.0.0/16", "via", "10.1.0.2", "table", "1000");
        run("ip", "-n", NAME, "route", "add", "blackhole", "10.5.0.0/16");
        run("ip", "-n", NAME, "route", "add", "unreachable", "fd05::/48");
        assertThat(namespace.routes())
                .filteredOn(route -> !route.destination().toString().startsWith("fe80"))
                .containsExactlyInAnyOrder(
                        onLink("10.1.0.0/24", link),
                        onLink("fd00::/64", link),
                        via("10.8.0.0/16", "10.1.0.2", link),
                        via("10.8.0.0/16", "10.1.0.3", link),
                        via("fd08::/48", "fd00::2", link),
                        via("fd08::/48", "fd00::3", link),
                        via("10.7.0.0/16", "fe80::9", link));
    }

    @Test
    void refusalsHaveTheKernelsOwnWords() throws Exception {
        Link bridge = namespace.createBridge(new BridgeSpec("br0", Optional.empty(), Optional.empty(), false));
        assertThat(assertRefused(Errno.EINVAL, () -> namespace.setMtu(bridge.index(), 40)))
                .hasMessage("set mtu of link " + bridge.index() + " to 40: EINVAL (mtu less than device minimum)");
        assertThat(assertRefused(Errno.ELOOP, () -> namespace.setMaster(bridge.index(), bridge.index())))
                .hasMessageEndingWith("ELOOP (Can not enslave a bridge to a bridge)");
        assertThat(assertRefused(Errno.ENETUNREACH, () -> namespace.addRoute(via("0.0.0.0/0", "10.1.0.2", 0))))
                .hasMessage("add route 0.0.0.0/0 via 10.1.0.2: ENETUNREACH (Nexthop has invalid gateway)");
    }

    @Test
    void socketStaysInTheNamespaceItWasOpenedIn() throws Exception {
        namespace.setUp(1, true);
        try (ServerSocketChannel server = namespace.call(() -> ServerSocketChannel.open()
                .bind(new InetSocketAddress(IpAddress.parse("127.0.0.1").toInetAddress(), 0)))) {
            InetSocketAddress address = (InetSocketAddress) server.getLocalAddress();
            try (SocketChannel client = namespace.call(() -> SocketChannel.open(address));
                    SocketChannel accepted = server.accept()) {
                assertThat(accepted.getRemoteAddress()).isEqualTo(client.getLocalAddress());
            }
            try (NetworkNamespace other = NET.create("np-other")) {
                assertRefused(Errno.EIO, () -> other.call(() -> SocketChannel.open(address)));
            } finally {
                NET.delete("np-other");
            }
        }
    }

    @Test
    void currentIsTheProcessesNamespaceEverywhere() throws Exception {
        try (NetworkNamespace current = NET.current();
                NetworkNamespace fromInside = namespace.call(NET::current)) {
            String name = "np-cur0";
            Link link = current.createVeth(new VethSpec(name, Optional.empty(), "far0", namespace, Optional.empty()));
            assertThat(fromInside.link(name)).isPresent();
            assertThat(namespace.link(name)).isEmpty();
            Path own = Files.readSymbolicLink(Path.of("/proc/self/ns/net"));
            Path inside = namespace.call(() -> Files.readSymbolicLink(Path.of("/proc/thread-self/ns/net")));
            Path back = namespace.call(
                    () -> current.call(() -> Files.readSymbolicLink(Path.of("/proc/thread-self/ns/net"))));
            assertThat(inside).isNotEqualTo(own);
            assertThat(back).isEqualTo(own);
            assertThat(namespace.<String>call(() -> current.sysctl("net/ipv4/conf/np-cur0/forwarding")))
                    .isIn("0", "1");
            current.deleteLink(link.index());
        }
    }

    @Test
    void closedHandleOfTheCurrentNamespaceSaysSo() throws Exception {
        NetworkNamespace current = NET.current();
        current.close();
        assertThatIllegalStateException().isThrownBy(() -> current.sysctl("net/ipv4/ip_forward"));
        assertThatIllegalStateException().isThrownBy(() -> current.call(() -> 1));
    }

    @Test
    void refusesFilesThatAreNoNetworkNamespace(@TempDir Path folder) throws Exception {
        Path plain = Files.createFile(folder.resolve("plain"));
        Path pipe = folder.resolve("pipe");
        run("mkfifo", pipe.toString());
        for (Path path : List.of(plain, pipe, folder, Path.of("/proc/self/ns/mnt"), Path.of("/dev/null"))) {
            assertThat(assertRefused(Errno.EINVAL, () -> NET.open(path))).hasMessageContaining(path.toString());
        }
    }

    @Test
    void fileThatACrashLeftIsListedAndCanBeDeleted() throws Exception {
        Files.createFile(Path.of("/run/netns/np-stale"));
        assertThat(NamespaceNames.all()).contains("np-stale");
        assertRefused(Errno.EEXIST, () -> NET.create("np-stale"));
        assertRefused(Errno.EINVAL, () -> NET.openNamed("np-stale"));
        NET.delete("np-stale");
        assertThat(NamespaceNames.all()).doesNotContain("np-stale");
    }

    @Test
    void creationThatFailsHalfWayLeavesNothing() throws Exception {
        String script = "mount -t tmpfs tmpfs /run && echo 1 > /proc/sys/user/max_net_namespaces && exec \"$@\"";
        String java = Path.of(System.getProperty("java.home"), "bin", "java").toString();
        assertThat(run(
                        "unshare",
                        "--user",
                        "--map-root-user",
                        "--mount",
                        "--net",
                        "sh",
                        "-c",
                        script,
                        "sh",
                        java,
                        "-XX:TieredStopAtLevel=1",
                        "--enable-native-access=ALL-UNNAMED",
                        "-cp",
                        System.getProperty("java.class.path"),
                        CreateWhereForbidden.class.getName()))
                .isEqualTo("ENOSPC []\n");
    }

    /** Tries to make a namespace and prints how that went and which names there are. */
    static final class CreateWhereForbidden {
        private CreateWhereForbidden() {}

        public static void main(String[] args) throws Exception {
            LinuxNet net = new KernelLinuxNet();
            try {
                net.create("np-half").close();
                System.out.println("created");
            } catch (LinuxNetException e) {
                System.out.println(e.errno() + " " + NamespaceNames.all());
            }
        }
    }

    @Test
    void listsMoreThanOneDatagramHolds() throws Exception {
        for (int i = 0; i < 150; i++) {
            namespace.createBridge(new BridgeSpec("br" + i, Optional.empty(), Optional.empty(), false));
        }
        assertThat(namespace.links())
                .extracting(Link::name)
                .doesNotHaveDuplicates()
                .hasSize(151);
    }

    @Test
    void manyThreadsShareOneHandle() throws Exception {
        int threads = 8;
        int bridge = namespace
                .createBridge(new BridgeSpec("br0", Optional.empty(), Optional.empty(), false))
                .index();
        List<Thread> running = new ArrayList<>();
        List<Throwable> failures = Collections.synchronizedList(new ArrayList<>());
        for (int thread = 0; thread < threads; thread++) {
            int number = thread;
            running.add(new Thread(() -> {
                try {
                    wireAndUnwire(number, bridge);
                } catch (Throwable e) {
                    failures.add(e);
                }
            }));
        }
        running.forEach(Thread::start);
        for (Thread thread : running) {
            thread.join(TimeUnit.MINUTES.toMillis(1));
            assertThat(thread.isAlive()).isFalse();
        }
        assertThat(failures).isEmpty();
        assertThat(namespace.links()).extracting(Link::name).containsExactly("lo", "br0");
        assertThat(namespace.addresses()).isEmpty();
    }

    private void wireAndUnwire(int number, int bridge) throws LinuxNetException {
        for (int round = 0; round < 5; round++) {
            Cidr address = Cidr.parse("10." + number + "." + round + ".1/24");
            String name = "v" + number + "-" + round;
            Link link =
                    namespace.createVeth(new VethSpec(name, Optional.empty(), "p" + name, namespace, Optional.empty()));
            assertThat(link.name()).isEqualTo(name);
            namespace.setMaster(link.index(), bridge);
            namespace.addAddress(link.index(), address);
            assertThat(namespace.links())
                    .filteredOn(has -> has.name().equals(name))
                    .singleElement()
                    .satisfies(has -> assertThat(has.masterIndex()).isEqualTo(bridge));
            assertThat(namespace.addresses()).contains(new InterfaceAddress(link.index(), address, false, false, 0));
            assertThat(namespace.call(() -> namespace.sysctl("net/ipv4/conf/" + name + "/forwarding")))
                    .isEqualTo("0");
            namespace.deleteLink(link.index());
        }
    }

    @Test
    void keepsNoDescriptors() throws Exception {
        openAndClose(20);
        long before = descriptors();
        openAndClose(200);
        // The JVM opens and closes some of its own meanwhile; a leak would show as one or more for each round.
        assertThat(descriptors()).isLessThan(before + 50);
    }

    private void openAndClose(int rounds) throws Exception {
        for (int i = 0; i < rounds; i++) {
            try (NetworkNamespace named = NET.openNamed(NAME);
                    NetworkNamespace current = NET.current()) {
                assertThat(named.links()).hasSize(1);
                assertThat(named.sysctl("net/ipv4/ip_forward")).isEqualTo("0");
                assertRefused(Errno.EINVAL, () -> named.setSysctl("net/ipv4/ip_forward", "yes"));
                assertRefused(Errno.EINVAL, () -> NET.open(Path.of("/dev/null")));
                assertRefused(Errno.EEXIST, () -> NET.create(NAME));
                Link link = named.createVeth(new VethSpec("v0", Optional.empty(), "lo", current, Optional.of(1400)));
                throw new AssertionError("made " + link);
            } catch (LinuxNetException e) {
                assertThat(e.isExists()).isTrue();
            }
        }
    }

    private static long descriptors() throws Exception {
        try (Stream<Path> files = Files.list(Path.of("/proc/self/fd"))) {
            return files.count();
        }
    }

    /** The output of a command, which must succeed. */
    private static String run(String... command) throws Exception {
        Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        process.getOutputStream().close();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.waitFor())
                .as("%s: %s", String.join(" ", command), output)
                .isZero();
        return output;
    }
}
