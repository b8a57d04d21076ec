package dev.nodepath.linux.link;

import dev.nodepath.linux.Eventually;
import dev.nodepath.linux.FakeLinuxNet;
import dev.nodepath.linux.KernelLinuxNet;
import dev.nodepath.linux.address.Cidr;
import dev.nodepath.linux.address.IpAddress;
import dev.nodepath.linux.namespace.NetworkNamespace;
import dev.nodepath.linux.namespace.VethSpec;
import dev.nodepath.linux.route.Neighbour;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.StandardProtocolFamily;
import java.nio.ByteBuffer;
import java.nio.channels.DatagramChannel;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;

/** The real kernel, and both ends of a veth pair in one namespace. */
@Tag("netns")
class KernelLinkCountersTest extends LinkCountersContract {
    /** No host has it, so each datagram goes out of the near end, to the hardware address of the far one. */
    private static final String ELSEWHERE = "10.9.0.2";

    private final KernelLinuxNet net = new KernelLinuxNet();
    private final String name = "counters-" + ProcessHandle.current().pid();
    private NetworkNamespace namespace = new FakeLinuxNet().current();
    private LinkCounters counters = new FakeLinkCounters();
    private Optional<Link> near = Optional.empty();

    KernelLinkCountersTest() throws IOException {}

    @BeforeEach
    void setUp() throws Exception {
        namespace = net.create(name);
        // Nothing but the datagrams is to be counted.
        namespace.setSysctl("net/ipv6/conf/default/disable_ipv6", "1");
        counters = namespace.call(net::linkCounters);
        Link link = namespace.createVeth(new VethSpec("near", Optional.empty(), "far", namespace, Optional.empty()));
        near = Optional.of(link);
        namespace.setUp(link.index(), true);
        namespace.setUp(link.peerIndex(), true);
        // Before that, the kernel drops sent packets.
        Eventually.isTrue(
                "links that carry",
                () -> namespace.links().stream()
                        .filter(each -> each.kind().equals("veth"))
                        .allMatch(Link::running));
        namespace.addAddress(link.index(), Cidr.parse("10.9.0.1/24"));
        Link far = namespace.link(link.peerIndex()).orElseThrow();
        namespace
                .neighbourTables()
                .setNeighbour(new Neighbour(
                        link.index(), IpAddress.parse(ELSEWHERE), far.mac().orElseThrow()));
    }

    @AfterEach
    void tearDown() throws IOException {
        counters.close();
        namespace.close();
        net.delete(name);
    }

    @Override
    LinkCounters counters() {
        return counters;
    }

    @Override
    int near() {
        return near.orElseThrow().index();
    }

    @Override
    int far() {
        return near.orElseThrow().peerIndex();
    }

    @Override
    void send(int datagrams, int payloadBytes) throws IOException {
        namespace.call(() -> {
            try (DatagramChannel socket = DatagramChannel.open(StandardProtocolFamily.INET)) {
                int sent = 0;
                for (int i = 0; i < datagrams; i++) {
                    sent += socket.send(ByteBuffer.allocate(payloadBytes), new InetSocketAddress(ELSEWHERE, 9));
                }
                return sent;
            }
        });
    }

    @Override
    void remove() throws IOException {
        namespace.deleteLink(near());
    }
}
