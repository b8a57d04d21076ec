package dev.nodepath.linux.packet;

import static org.assertj.core.api.Assertions.assertThat;

import dev.nodepath.linux.KernelLinuxNet;
import dev.nodepath.linux.address.Cidr;
import dev.nodepath.linux.address.IpAddress;
import dev.nodepath.linux.address.MacAddress;
import dev.nodepath.linux.link.AddressOptions;
import dev.nodepath.linux.link.Link;
import dev.nodepath.linux.link.Vxlan;
import dev.nodepath.linux.link.VxlanSpec;
import dev.nodepath.linux.namespace.NetworkNamespace;
import dev.nodepath.linux.namespace.VethSpec;
import dev.nodepath.linux.route.Forwarding;
import dev.nodepath.linux.route.Neighbour;
import dev.nodepath.linux.syscall.LinuxNetException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.List;
import java.util.Optional;
import org.assertj.core.groups.Tuple;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** First packets of connections are seen on each link, in both directions. */
@Tag("netns")
class PacketCaptureTest {
    private static final int MAX = 1000;
    private static final int TCP = 6;
    private static final int UDP = 17;
    private static final int PORT = 4000;
    private static final MacAddress NEAR_MAC = MacAddress.parse("02:00:00:00:00:01");
    private static final MacAddress FAR_MAC = MacAddress.parse("02:00:00:00:00:02");

    private static final AddressOptions USABLE_AT_ONCE =
            new AddressOptions(/* duplicateDetection= */ false, /* protocol= */ 0);

    private final KernelLinuxNet net = new KernelLinuxNet();
    private final String name = "cap-" + ProcessHandle.current().pid();

    @SuppressWarnings("NullAway.Init") // lives from @BeforeEach to @AfterEach
    private NetworkNamespace near;

    @SuppressWarnings("NullAway.Init")
    private NetworkNamespace far;

    private int nearLink;
    private int farLink;

    @BeforeEach
    void connect() throws Exception {
        near = net.create(name + "-near");
        far = net.create(name + "-far");
        Link veth = near.createVeth(new VethSpec("eth0", Optional.empty(), "eth0", far, Optional.empty()));
        nearLink = veth.index();
        farLink = veth.peerIndex();
        setUp(near, nearLink, "10.0.0.1/24", "fd00::1/64");
        setUp(far, farLink, "10.0.0.2/24", "fd00::2/64");
    }

    @AfterEach
    void disconnect() throws Exception {
        near.close();
        far.close();
        net.delete(name + "-near");
        net.delete(name + "-far");
    }

    private static void setUp(NetworkNamespace namespace, int link, String... addresses) throws LinuxNetException {
        for (String address : addresses) {
            namespace.addAddress(link, Cidr.parse(address), USABLE_AT_ONCE);
        }
        namespace.setUp(link, true);
    }

    @ParameterizedTest
    @CsvSource({"10.0.0.1, 10.0.0.2", "fd00::1, fd00::2"})
    void seesTheFirstPacketOfEachSideOfAConnection(String from, String to) throws Exception {
        try (PacketCapture sent = near.call(net::packetCapture);
                PacketCapture received = far.call(net::packetCapture)) {
            int port = exchange(from, to, 1 << 20);

            PacketHeader there = new PacketHeader(TCP, IpAddress.parse(from), port, IpAddress.parse(to), PORT);
            PacketHeader back = new PacketHeader(TCP, IpAddress.parse(to), PORT, IpAddress.parse(from), port);
            assertThat(sent.poll(MAX))
                    .extracting(CapturedPacket::link, CapturedPacket::outgoing, CapturedPacket::header)
                    .containsExactly(Tuple.tuple(nearLink, true, there), Tuple.tuple(nearLink, false, back));
            List<CapturedPacket> packets = received.poll(MAX);
            assertThat(packets)
                    .extracting(CapturedPacket::link, CapturedPacket::outgoing, CapturedPacket::header)
                    .containsExactly(Tuple.tuple(farLink, false, there), Tuple.tuple(farLink, true, back));
            assertThat(packets).extracting(CapturedPacket::nanos).isSorted().doesNotContain(0L);
            assertThat(received.lost()).isZero();
            assertThat(packets).extracting(CapturedPacket::sequence).doesNotHaveDuplicates();
        }
    }

    /** The tunnel's link has the packet itself, the link below has it in VXLAN; bulk is seen on neither. */
    @Test
    void seesThePacketInsideAnOverlay() throws Exception {
        int nearTunnel = tunnel(near, NEAR_MAC, "10.0.0.1", "10.9.0.1/24", FAR_MAC, "10.0.0.2");
        tunnel(far, FAR_MAC, "10.0.0.2", "10.9.0.2/24", NEAR_MAC, "10.0.0.1");
        try (PacketCapture sent = near.call(net::packetCapture)) {
            int port = exchange("10.9.0.1", "10.9.0.2", 1 << 20);

            assertThat(sent.poll(MAX))
                    .filteredOn(packet -> packet.outgoing() && packet.header().sourcePort() == port)
                    .extracting(CapturedPacket::link, CapturedPacket::encapsulated)
                    .containsExactly(Tuple.tuple(nearTunnel, false), Tuple.tuple(nearLink, true));
        }
    }

    @Test
    void countsWhatTheQueueDoesNotHold() throws Exception {
        try (PacketCapture received = far.call(net::packetCapture)) {
            near.call(() -> {
                try (DatagramSocket socket = new DatagramSocket(new InetSocketAddress("10.0.0.1", 5000))) {
                    for (int i = 0; i < 50_000; i++) {
                        socket.send(new DatagramPacket(new byte[1], 1, new InetSocketAddress("10.0.0.2", PORT)));
                    }
                }
                return true;
            });

            List<CapturedPacket> packets = received.poll(MAX);
            assertThat(packets).hasSize(MAX);
            assertThat(packets.get(0).header().protocol()).isEqualTo(UDP);
            assertThat(received.lost()).isPositive();
            assertThat(received.lost()).as("since the last question").isZero();
        }
    }

    private int tunnel(
            NetworkNamespace namespace, MacAddress mac, String local, String address, MacAddress peer, String remote)
            throws LinuxNetException {
        Vxlan tunnel = new Vxlan(7, IpAddress.parse(local), 4789, /* learning= */ false);
        int link =
                namespace.createVxlan(new VxlanSpec("vx0", mac, 1450, tunnel)).index();
        setUp(namespace, link, address);
        IpAddress other = IpAddress.parse(address.startsWith("10.9.0.1") ? "10.9.0.2" : "10.9.0.1");
        namespace.neighbourTables().setForwarding(new Forwarding(link, peer, IpAddress.parse(remote)));
        namespace.neighbourTables().setNeighbour(new Neighbour(link, other, peer));
        return link;
    }

    /** Sends so many bytes over a connection of its own; returns its port. */
    private int exchange(String from, String to, int bytes) throws Exception {
        ServerSocket server = far.call(() -> {
            ServerSocket socket = new ServerSocket();
            socket.bind(new InetSocketAddress(to, PORT));
            return socket;
        });
        Socket client = near.call(() -> {
            Socket socket = new Socket();
            socket.bind(new InetSocketAddress(from, 0));
            socket.connect(new InetSocketAddress(to, PORT));
            return socket;
        });
        try (server;
                client;
                Socket accepted = server.accept()) {
            Thread reader = new Thread(() -> {
                try {
                    accepted.getInputStream().readNBytes(bytes);
                } catch (IOException e) {
                    throw new UncheckedIOException(e);
                }
            });
            reader.start();
            client.getOutputStream().write(new byte[bytes]);
            reader.join();
            return client.getLocalPort();
        }
    }
}
