package dev.nodepath.proxy.userspace;

import dev.nodepath.endpoints.Endpoint;
import dev.nodepath.endpoints.NamespacedName;
import dev.nodepath.endpoints.Protocol;
import dev.nodepath.endpoints.ServicePort;
import dev.nodepath.endpoints.ServicePortName;
import dev.nodepath.proxy.userspace.metrics.RelayMetrics;
import dev.nodepath.proxy.userspace.portals.InternalClients;
import dev.nodepath.proxy.userspace.portals.KeptClients;
import dev.nodepath.proxy.userspace.portals.Portal;
import dev.nodepath.proxy.userspace.portals.ServiceEntry;
import dev.nodepath.proxy.userspace.relay.Balancer;
import dev.nodepath.proxy.userspace.relay.ConnectionPolicy;
import dev.nodepath.proxy.userspace.relay.Ports;
import dev.nodepath.proxy.userspace.relay.RelayConfig;
import dev.nodepath.proxy.userspace.relay.RelayConfigTest;
import dev.nodepath.proxy.userspace.relay.RelayService;
import dev.nodepath.proxy.userspace.relay.UdpPortals;
import io.netty.channel.IoEventLoop;
import java.io.IOException;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketTimeoutException;
import java.util.Arrays;
import java.util.List;
import java.util.Random;

/** A UDP portal on the loopback address. */
public final class UdpFixture implements AutoCloseable {
    private final RelayFixture relay;
    private final RelayService service;
    private final UdpPortals portals;
    private Portal portal;

    public UdpFixture(RelayConfig config) throws IOException {
        relay = new RelayFixture(RelayConfigTest.CONFIG.with(draft -> {
            draft.eventLoops = config.eventLoops();
            draft.udpTimeout = config.udpTimeout();
            draft.flowsMax = config.flowsMax();
            draft.accessLog = config.accessLog();
        }));
        portal = portal(List.of());
        service = new RelayService(portal.key(), config.balancer(), ConnectionPolicy.NONE, System::nanoTime);
        portals = new UdpPortals(relay.server, config.bindAddress(), new Ports(config.portRange(), new Random(1)));
        try {
            endpoints();
        } catch (IOException e) {
            close();
            throw e;
        }
    }

    private static Portal portal(List<Endpoint> endpoints) {
        return RelayFixture.portal(RelayFixture.UDP, endpoints);
    }

    /** A portal of another Service on the same relay, closed with it. */
    public DatagramSocket clientOf(String service, Endpoint endpoint) throws IOException {
        ServicePortName name = new ServicePortName(new NamespacedName("default", service), "udp", Protocol.UDP);
        Portal other = RelayFixture.portal(
                new ServicePort(name, List.of(RelayFixture.SERVICE.address()), 53, 0, List.of(), List.of()),
                List.of(endpoint));
        RelayService itsOwn =
                new RelayService(other.key(), Balancer.ROUND_ROBIN, ConnectionPolicy.NONE, System::nanoTime);
        itsOwn.update(other, InternalClients.NONE, KeptClients.NONE);
        for (IOException failure : portals.open(List.of(other), port -> itsOwn).values()) {
            throw failure;
        }
        return client(portals.port(other, ServiceEntry.CLUSTER_IP));
    }

    public UdpFixture endpoints(Endpoint... endpoints) throws IOException {
        portal = portal(List.of(endpoints));
        service.update(portal, InternalClients.NONE, KeptClients.NONE);
        for (IOException failure :
                portals.open(List.of(portal), port -> service).values()) {
            throw failure;
        }
        return this;
    }

    public InetSocketAddress address() {
        return new InetSocketAddress(InetAddress.getLoopbackAddress(), portals.port(portal, ServiceEntry.CLUSTER_IP));
    }

    public DatagramSocket client() throws IOException {
        return client(address().getPort());
    }

    private static DatagramSocket client(int port) throws IOException {
        DatagramSocket socket = new DatagramSocket();
        socket.setSoTimeout(10_000);
        socket.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
        return socket;
    }

    public static byte[] ask(DatagramSocket client, byte[] content) throws IOException {
        client.send(new DatagramPacket(content, content.length));
        DatagramPacket answer = new DatagramPacket(new byte[65_536], 65_536);
        try {
            client.receive(answer);
        } catch (SocketTimeoutException e) {
            throw new AssertionError("no answer to " + content.length + " bytes", e);
        }
        return Arrays.copyOf(answer.getData(), answer.getLength());
    }

    public IoEventLoop loop() {
        return relay.server.loopOf(portal.key()).eventLoop();
    }

    public RelayService service() {
        return service;
    }

    public RelayMetrics metrics() {
        return relay.metrics();
    }

    public void closePortals() {
        portals.close();
    }

    @Override
    public void close() {
        closePortals();
        relay.close();
    }
}
