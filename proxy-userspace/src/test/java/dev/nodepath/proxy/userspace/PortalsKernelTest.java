package dev.nodepath.proxy.userspace;

import static dev.nodepath.proxy.userspace.ServiceSnapshots.ips;
import static dev.nodepath.proxy.userspace.ServiceSnapshots.name;
import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import dev.nodepath.endpoints.ChangeSet;
import dev.nodepath.endpoints.Endpoint;
import dev.nodepath.endpoints.LogCapture;
import dev.nodepath.endpoints.NamespacedName;
import dev.nodepath.endpoints.Protocol;
import dev.nodepath.endpoints.ServicePolicy;
import dev.nodepath.endpoints.ServicePort;
import dev.nodepath.endpoints.ServicePortName;
import dev.nodepath.endpoints.ServiceSnapshot;
import dev.nodepath.endpoints.ServiceType;
import dev.nodepath.endpoints.TrafficPolicy;
import dev.nodepath.linux.Eventually;
import dev.nodepath.linux.address.Cidr;
import dev.nodepath.linux.address.IpAddress;
import dev.nodepath.linux.address.IpFamily;
import dev.nodepath.linux.iptables.Iptables;
import dev.nodepath.linux.iptables.IptablesCommand;
import dev.nodepath.linux.iptables.Table;
import dev.nodepath.proxy.userspace.metrics.RelayCount;
import dev.nodepath.proxy.userspace.relay.RelayConfig;
import dev.nodepath.proxy.userspace.relay.RelayLog;
import java.io.IOException;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** UDP, IPv6, source ranges and the change of processes, with real rules. */
@Tag("netns")
@ExtendWith(NoLeaks.class)
@Timeout(900)
class PortalsKernelTest {
    private static final int NODE_PORT = 30053;
    private static final ServicePortName DNS =
            new ServicePortName(new NamespacedName("ns", "dns"), "dns", Protocol.UDP);

    private static final ServicePolicy FROM_PODS = new ServicePolicy(
            ServiceType.LOAD_BALANCER,
            TrafficPolicy.CLUSTER,
            TrafficPolicy.CLUSTER,
            0,
            List.of(Cidr.parse("10.244.0.0/16")),
            0);

    private final List<Iptables> iptables =
            List.of(new IptablesCommand(IpFamily.IPV4), new IptablesCommand(IpFamily.IPV6));
    private final KernelTestNode node = new KernelTestNode();
    private final UserspaceProxy proxy = proxy();

    PortalsKernelTest() throws Exception {}

    private UserspaceProxy proxy() {
        return new UserspaceProxy(
                "node-a",
                RelayConfig.DEFAULTS.with(draft -> {
                    draft.drainTimeout = Duration.ofSeconds(30);
                    draft.udpTimeout = Duration.ofSeconds(3);
                }),
                iptables);
    }

    @AfterEach
    void tearDown() throws Exception {
        proxy.close();
        String left = "";
        for (Iptables commands : iptables) {
            left += commands.save(Table.NAT) + commands.save(Table.FILTER);
        }
        left += KernelTestNode.tables();
        node.remove();
        assertThat(left).doesNotContain("KUBE-", "nodepath");
    }

    @Test
    void leadsDatagramsAndAnswersFromTheRightAddress() throws Exception {
        ServicePort dns = new ServicePort(DNS, ips("10.96.0.53"), 53, NODE_PORT, ips("192.0.2.1"), List.of());
        try (UdpBackend backend = UdpBackend.named("first\n", address(KernelTestNode.BRIDGE_ADDRESS))) {
            sync(proxy, dns, backend.endpoint());
            assertThat(node.askByDatagramFromPod("10.96.0.53", 53)).isEqualTo("first");
            assertThat(node.askByDatagramFromPod(KernelTestNode.ADDRESS, NODE_PORT))
                    .isEqualTo("first");
            assertThat(node.askByDatagramFromOutside(KernelTestNode.ADDRESS, NODE_PORT))
                    .isEqualTo("first");
            assertThat(node.askByDatagramFromOutside("192.0.2.1", 53)).isEqualTo("first");
            assertThat(askByDatagram("10.96.0.53", 53)).isEqualTo("first\n");
            assertThat(askByDatagram("127.0.0.1", NODE_PORT)).isEqualTo("first\n");
            assertThat(askByDatagram(KernelTestNode.BRIDGE_ADDRESS, NODE_PORT)).isEqualTo("first\n");
            sync(proxy, dns);
            assertThat(node.askByDatagramFromPod("10.96.0.53", 53)).doesNotContain("first");
        }
    }

    /** Each datagram refreshes the entry of the first one, which no rule translated. */
    @ParameterizedTest
    @CsvSource({
        "outside, 172.18.0.2",
        "pod, 172.18.0.2",
        "host, 172.18.0.2",
        "host, 127.0.0.1",
        "outside, fd00:172:18::2",
        "host, ::1"
    })
    void aFlowBegunBeforeItsNodePortFindsIt(String from, String host) throws Exception {
        boolean ipv6 = host.contains(":");
        ServicePort dns = dns(ipv6 ? "fd00:10:96::53" : "10.96.0.53");
        InetAddress bridge = address(ipv6 ? KernelTestNode.BRIDGE_ADDRESS6 : KernelTestNode.BRIDGE_ADDRESS);
        // The kernel tracks where there are rules that ask for it.
        proxy.sync(snapshots().build(), ChangeSet.NONE);
        try (UdpBackend backend = UdpBackend.named("first", bridge);
                UdpClient client = UdpClient.from(node, from, address(host), NODE_PORT)) {
            assertThat(client.ask()).isEqualTo("nobody");
            sync(proxy, dns, backend.endpoint());
            Eventually.isTrue("the Service answers", () -> client.ask().equals("first"));
        }
    }

    /** Upstream's test of a node port whose target port changes. */
    @Test
    void aFlowToANodePortFollowsItsTargetPort() throws Exception {
        proxy.sync(snapshots().build(), ChangeSet.NONE);
        InetAddress bridge = address(KernelTestNode.BRIDGE_ADDRESS);
        try (UdpBackend old = UdpBackend.named("old", bridge);
                UdpBackend moved = UdpBackend.named("moved", bridge);
                UdpClient client = UdpClient.from(node, "outside", address(KernelTestNode.ADDRESS), NODE_PORT)) {
            assertThat(client.ask()).isEqualTo("nobody");
            sync(proxy, dns("10.96.0.53"), old.endpoint());
            Eventually.isTrue("the old port answers", () -> client.ask().equals("old"));
            sync(proxy, dns("10.96.0.53"), moved.endpoint());
            Eventually.isTrue("the new port answers", () -> client.ask().equals("moved"));
            assertThat(client.ask()).isEqualTo("moved");
        }
    }

    /** Upstream's test of a node port whose pod is replaced by another. */
    @Test
    void aFlowToANodePortGoesOnWhenItsPodIsReplaced() throws Exception {
        proxy.sync(snapshots().build(), ChangeSet.NONE);
        ServicePort dns = dns("10.96.0.53");
        InetAddress bridge = address(KernelTestNode.BRIDGE_ADDRESS);
        try (UdpBackend first = UdpBackend.named("first", bridge);
                UdpBackend second = UdpBackend.named("second", bridge);
                UdpClient client = UdpClient.from(node, "outside", address(KernelTestNode.ADDRESS), NODE_PORT)) {
            sync(proxy, dns);
            assertThat(client.ask()).isEqualTo("nobody");
            sync(proxy, dns, first.endpoint());
            Eventually.isTrue("the first pod answers", () -> client.ask().equals("first"));
            sync(proxy, dns, first.endpoint(), second.endpoint());
            assertThat(client.ask()).isEqualTo("first");
            sync(proxy, dns, second.endpoint());
            Eventually.isTrue("the second pod answers", () -> client.ask().equals("second"));
            sync(proxy, dns);
            assertThat(client.ask()).isEqualTo("nobody");
            sync(proxy, dns, first.endpoint());
            Eventually.isTrue("the first pod answers again", () -> client.ask().equals("first"));
        }
    }

    private static ServicePort dns(String clusterIp) {
        return new ServicePort(DNS, ips(clusterIp), 53, NODE_PORT, List.of(), List.of());
    }

    @Test
    void leadsOverIpv6() throws Exception {
        ServicePort web = new ServicePort(name("web"), ips("fd00:10:96::10"), 80, 30080, List.of(), List.of());
        ServicePort dns = new ServicePort(DNS, ips("fd00:10:96::53"), 53, NODE_PORT, List.of(), List.of());
        InetAddress bridge = address(KernelTestNode.BRIDGE_ADDRESS6);
        try (Backend tcp = Backend.start(
                        bridge, 0, socket -> socket.getOutputStream().write("tcp\n".getBytes(US_ASCII)));
                UdpBackend udp = UdpBackend.named("udp\n", bridge)) {
            proxy.sync(
                    snapshots()
                            .add(web, tcp.endpoint())
                            .add(dns, udp.endpoint())
                            .build(),
                    ChangeSet.of(List.of(web.name(), DNS)));
            assertThat(node.askFromPod("fd00:10:96::10", 80)).isEqualTo("tcp");
            assertThat(node.askFromPod(KernelTestNode.ADDRESS6, 30080)).isEqualTo("tcp");
            assertThat(line("fd00:10:96::10", 80)).isEqualTo("tcp\n");
            assertThat(node.askByDatagramFromPod("fd00:10:96::53", 53)).isEqualTo("udp");
            assertThat(askByDatagram("fd00:10:96::53", 53)).isEqualTo("udp\n");
            proxy.sync(snapshots().add(web).add(dns).build(), ChangeSet.of(List.of(web.name(), DNS)));
            assertThat(node.askFromPod("fd00:10:96::10", 80)).contains("Connection refused");
        }
    }

    @Test
    void sourceRangesExcludeAtTheLoadBalancerIpAlone() throws Exception {
        ServicePort web =
                new ServicePort(name("web"), ips("10.96.0.10"), 80, 30080, List.of(), ips("192.0.2.2"), FROM_PODS);
        try (Backend backend = Backend.start(
                address(KernelTestNode.BRIDGE_ADDRESS),
                0,
                socket -> socket.getOutputStream().write("tcp\n".getBytes(US_ASCII)))) {
            sync(proxy, web, backend.endpoint());
            assertThat(node.askFromPod("192.0.2.2", 80)).isEqualTo("tcp");
            assertThat(node.askFromOutside("192.0.2.2", 80)).doesNotContain("tcp");
            assertThat(node.askFromOutside(KernelTestNode.ADDRESS, 30080)).isEqualTo("tcp");
            assertThat(proxy.metrics().of(RelayCount.OUTSIDE_SOURCE_RANGES)).isEqualTo(1);
        }
    }

    @Test
    void datagramsFromOutsideTheSourceRangesAreDroppedAndSaidOnce() throws Exception {
        ServicePort dns =
                new ServicePort(DNS, ips("10.96.0.53"), 53, NODE_PORT, List.of(), ips("192.0.2.2"), FROM_PODS);
        try (LogCapture log = new LogCapture(RelayLog.class);
                UdpBackend backend = UdpBackend.named("udp\n", address(KernelTestNode.BRIDGE_ADDRESS))) {
            sync(proxy, dns, backend.endpoint());
            assertThat(node.askByDatagramFromPod("192.0.2.2", 53)).isEqualTo("udp");
            // A datagram without waiting for an answer; it is repeated after a while.
            node.tellByDatagramFromOutside("192.0.2.2", 53);
            assertThat(node.askByDatagramFromOutside("192.0.2.2", 53)).doesNotContain("udp");
            assertThat(node.askByDatagramFromOutside(KernelTestNode.ADDRESS, NODE_PORT))
                    .isEqualTo("udp");
            assertThat(proxy.metrics().of(RelayCount.DATAGRAMS_DROPPED)).isEqualTo(2);
            assertThat(log.lines("relay.outside_source_ranges"))
                    .singleElement()
                    .asString()
                    .contains("service_port=ns/dns:dns");
        }
    }

    /** A process of the host listens at all addresses; a cluster IP is none of them, at any port. */
    @ParameterizedTest
    @CsvSource({"10.96.0.10, 0.0.0.0, 172.18.0.2", "fd00:10:96::10, ::, fd00:172:18::2"})
    void aServiceOfTheHostIsNotReachedAtAClusterIp(String clusterIp, String any, String host) throws Exception {
        ServicePort web = new ServicePort(name("web"), ips(clusterIp), 80, 0, List.of(), List.of());
        try (Backend backend = Backend.start(
                        address(host), 0, socket -> socket.getOutputStream().write("pod\n".getBytes(US_ASCII)));
                Backend ofHost = Backend.start(
                        address(any), 0, socket -> socket.getOutputStream().write("host\n".getBytes(US_ASCII)))) {
            int port = ofHost.endpoint().port();
            sync(proxy, web, backend.endpoint());
            assertThat(node.askFromPod(host, port)).isEqualTo("host");
            assertThat(node.askFromPod(clusterIp, 80)).isEqualTo("pod");
            assertThat(node.askFromPod(clusterIp, port)).doesNotContain("host");
            assertThat(ofHost.connections()).isEqualTo(1);
        }
    }

    @Test
    void affinityHoldsAClientAtOneEndpoint() throws Exception {
        ServicePolicy affine = new ServicePolicy(
                ServiceType.CLUSTER_IP, TrafficPolicy.CLUSTER, TrafficPolicy.CLUSTER, 60, List.of(), 0);
        ServicePort web = new ServicePort(name("web"), ips("10.96.0.10"), 80, 0, List.of(), List.of(), affine);
        try (Backend first = named("first");
                Backend second = named("second")) {
            sync(proxy, web, first.endpoint(), second.endpoint());
            String chosen = node.askFromPod("10.96.0.10", 80);
            for (int i = 0; i < 5; i++) {
                assertThat(node.askFromPod("10.96.0.10", 80)).isEqualTo(chosen);
            }
        }
    }

    @Test
    void internalPolicyLocalServesEndpointsOfThisNodeAlone() throws Exception {
        ServicePolicy local =
                new ServicePolicy(ServiceType.CLUSTER_IP, TrafficPolicy.LOCAL, TrafficPolicy.CLUSTER, 0, List.of(), 0);
        ServicePort web = new ServicePort(name("web"), ips("10.96.0.10"), 80, 0, List.of(), List.of(), local);
        try (Backend here = named("here");
                Backend there = named("there")) {
            Endpoint remote =
                    Endpoint.ready(there.endpoint().address(), there.endpoint().port(), "node-b");
            sync(proxy, web, here.endpoint(), remote);
            for (int i = 0; i < 4; i++) {
                assertThat(node.askFromPod("10.96.0.10", 80)).isEqualTo("here");
            }
            sync(proxy, web, remote);
            assertThat(node.askFromPod("10.96.0.10", 80)).contains("Connection refused");
        }
    }

    /**
     * With as many connections as there are ports, only that endpoint's clients wait, and the endpoint does not count
     * as dead.
     */
    @Test
    void exhaustedPortsTowardsOneEndpointHarmNoOther() throws Exception {
        ServicePort web = new ServicePort(name("web"), ips("10.96.0.10"), 80, 0, List.of(), List.of());
        ServicePort other = new ServicePort(name("other"), ips("10.96.0.11"), 80, 0, List.of(), List.of());
        try (LogCapture log = new LogCapture(RelayLog.class);
                Backend busy = Backend.start(
                        address(KernelTestNode.BRIDGE_ADDRESS),
                        0,
                        socket -> socket.getInputStream().transferTo(socket.getOutputStream()));
                Backend idle = named("idle")) {
            proxy.sync(
                    snapshots()
                            .add(web, busy.endpoint())
                            .add(other, idle.endpoint())
                            .build(),
                    ChangeSet.of(List.of(web.name(), other.name())));
            // After the sync, because listeners take ports of this range, too.
            String before = node.localPorts("40000 40003");
            try (Socket one = connectFromPod();
                    Socket two = connectFromPod();
                    Socket three = connectFromPod();
                    Socket four = connectFromPod()) {
                for (Socket each : List.of(one, two, three, four)) {
                    Clients.assertEchoes(each);
                }
                Clients.assertReset(this::connectFromPod);
                assertThat(proxy.metrics().of(RelayCount.DIALS_FAILED)).isPositive();
                assertThat(node.askFromPod("10.96.0.11", 80)).isEqualTo("idle");

                four.shutdownOutput();
                Eventually.isTrue("a port is free, and the endpoint is not left out", this::isServedFromPod);
                assertThat(log.lines("relay.endpoint_ejected")).isEmpty();
            } finally {
                node.localPorts(before);
            }
        }
    }

    private boolean isServedFromPod() {
        try (Socket again = connectFromPod()) {
            Clients.assertEchoes(again);
            return true;
        } catch (IOException | AssertionError e) {
            return false;
        }
    }

    private Socket connectFromPod() throws IOException {
        Socket socket = node.inside("pod", () -> new Socket(address("10.96.0.10"), 80));
        socket.setSoTimeout(10_000);
        return socket;
    }

    private static Backend named(String name) throws IOException {
        return Backend.start(
                address(KernelTestNode.BRIDGE_ADDRESS),
                0,
                socket -> socket.getOutputStream().write((name + "\n").getBytes(US_ASCII)));
    }

    @Test
    void anotherProcessTakesOverWithoutCuttingAnyone() throws Exception {
        ServicePort web = new ServicePort(name("web"), ips("10.96.0.10"), 80, 0, List.of(), List.of());
        ConcurrentLinkedQueue<String> failures = new ConcurrentLinkedQueue<>();
        AtomicInteger served = new AtomicInteger();
        AtomicBoolean stop = new AtomicBoolean();
        try (Backend backend = Backend.start(
                        address(KernelTestNode.BRIDGE_ADDRESS),
                        0,
                        socket -> socket.getInputStream().transferTo(socket.getOutputStream()));
                UserspaceProxy successor = proxy()) {
            sync(proxy, web, backend.endpoint());
            List<Thread> clients = List.of(
                    client(stop, failures, () -> comeAndGo(served)), client(stop, failures, () -> comeAndGo(served)));
            try (Socket old = connect()) {
                Clients.assertEchoes(old);
                Eventually.isTrue("clients are served", () -> served.get() > 50);
                sync(successor, web, backend.endpoint());
                Thread end = new Thread(proxy::close, "end");
                end.start();
                int before = served.get();
                Eventually.isTrue("clients are served on", () -> served.get() > before + 200);
                for (int i = 0; i < 100; i++) {
                    Clients.assertEchoes(old);
                }
                assertThat(end.isAlive()).isTrue();
                old.shutdownOutput();
                assertThat(old.getInputStream().read()).isEqualTo(-1);
                end.join();
                int after = served.get();
                Eventually.isTrue("clients are served still", () -> served.get() > after + 50);
            } finally {
                stop.set(true);
                for (Thread client : clients) {
                    client.join();
                }
            }
            assertThat(failures).isEmpty();
            assertThat(successor.metrics().of(RelayCount.CONNECTED)).isPositive();
        }
    }

    private interface Visit {
        void run() throws IOException;
    }

    private static Thread client(AtomicBoolean stop, ConcurrentLinkedQueue<String> failures, Visit visit) {
        Thread thread = new Thread(
                () -> {
                    while (!stop.get()) {
                        try {
                            visit.run();
                        } catch (IOException | AssertionError e) {
                            failures.add(e.toString());
                        }
                    }
                },
                "client");
        thread.start();
        return thread;
    }

    private static void comeAndGo(AtomicInteger served) throws IOException {
        try (Socket client = connect()) {
            Clients.assertEchoes(client);
            served.incrementAndGet();
        }
    }

    private static Socket connect() throws IOException {
        Socket socket = new Socket();
        socket.setSoTimeout(30_000);
        socket.connect(new InetSocketAddress(address("10.96.0.10"), 80), 30_000);
        return socket;
    }

    private static ServiceSnapshots snapshots() {
        return new ServiceSnapshots().node("node-a", KernelTestNode.ADDRESS, KernelTestNode.ADDRESS6);
    }

    private static void sync(UserspaceProxy proxy, ServicePort service, Endpoint... endpoints) throws Exception {
        ServiceSnapshot snapshot = snapshots().add(service, endpoints).build();
        proxy.sync(snapshot, ChangeSet.of(List.of(service.name())));
    }

    private static InetAddress address(String text) {
        return IpAddress.parse(text).toInetAddress();
    }

    private static String askByDatagram(String address, int port) throws IOException {
        try (DatagramSocket client = new DatagramSocket()) {
            client.setSoTimeout(10_000);
            client.connect(address(address), port);
            client.send(new DatagramPacket(new byte[] {1}, 1));
            DatagramPacket answer = new DatagramPacket(new byte[100], 100);
            client.receive(answer);
            return new String(answer.getData(), 0, answer.getLength(), US_ASCII);
        }
    }

    private static String line(String address, int port) throws IOException {
        try (Socket client = new Socket(address(address), port)) {
            client.setSoTimeout(10_000);
            return new String(client.getInputStream().readAllBytes(), US_ASCII);
        }
    }
}
