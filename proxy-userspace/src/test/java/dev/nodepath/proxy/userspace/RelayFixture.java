package dev.nodepath.proxy.userspace;

import dev.nodepath.endpoints.Endpoint;
import dev.nodepath.endpoints.NamespacedName;
import dev.nodepath.endpoints.Protocol;
import dev.nodepath.endpoints.SelectedEndpoints;
import dev.nodepath.endpoints.ServicePolicy;
import dev.nodepath.endpoints.ServicePort;
import dev.nodepath.endpoints.ServicePortName;
import dev.nodepath.linux.address.IpAddress;
import dev.nodepath.linux.address.IpFamily;
import dev.nodepath.proxy.userspace.metrics.RelayMetrics;
import dev.nodepath.proxy.userspace.portals.Destination;
import dev.nodepath.proxy.userspace.portals.InternalClients;
import dev.nodepath.proxy.userspace.portals.KeptClients;
import dev.nodepath.proxy.userspace.portals.Portal;
import dev.nodepath.proxy.userspace.portals.ServiceEntry;
import dev.nodepath.proxy.userspace.relay.ConnectionPolicy;
import dev.nodepath.proxy.userspace.relay.DescriptorLimit;
import dev.nodepath.proxy.userspace.relay.OriginalDestination;
import dev.nodepath.proxy.userspace.relay.Ports;
import dev.nodepath.proxy.userspace.relay.RelayConfig;
import dev.nodepath.proxy.userspace.relay.RelayServer;
import dev.nodepath.proxy.userspace.relay.RelayService;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/** A relay on the loopback address whose clients are all for one service port, so that no rules are needed. */
public final class RelayFixture implements AutoCloseable {
    public static final Destination SERVICE = new Destination(IpAddress.parse("10.96.0.10"), 80);
    static final ServicePortName NAME = new ServicePortName(new NamespacedName("default", "web"), "http", Protocol.TCP);

    public static final ServicePort UDP = new ServicePort(
            new ServicePortName(new NamespacedName("default", "dns"), "dns", Protocol.UDP),
            List.of(SERVICE.address()),
            53,
            0,
            List.of(),
            List.of());

    private static final int TIMEOUT_MILLIS = 300_000;

    final RelayMetrics metrics = new RelayMetrics();
    final RelayServer server;
    final RelayService service;
    private final ServicePort port;

    public RelayFixture(RelayConfig config) throws IOException {
        this(config, (client, family) -> SERVICE);
    }

    public RelayFixture(RelayConfig config, OriginalDestination originalDestination) throws IOException {
        this(config, originalDestination, ServicePolicy.DEFAULT);
    }

    public RelayFixture(RelayConfig config, OriginalDestination originalDestination, ServicePolicy policy)
            throws IOException {
        this(config, originalDestination, policy, DescriptorLimit.ofThisProcess());
    }

    /** A fixture with this many descriptors for connections and flows. */
    public RelayFixture(
            RelayConfig config, OriginalDestination originalDestination, ServicePolicy policy, int descriptorsMax)
            throws IOException {
        port = new ServicePort(NAME, List.of(SERVICE.address()), SERVICE.port(), 0, List.of(), List.of(), policy);
        service = new RelayService(
                new Portal.Key(NAME, IpFamily.IPV4), config.balancer(), ConnectionPolicy.NONE, System::nanoTime);
        server = RelayServer.open(config, originalDestination, metrics, descriptorsMax);
        server.listen(config.bindAddress(), new Ports(config.portRange(), new SplittableRandom(1)));
        endpoints();
        server.portals().add(portal(List.of()), service);
    }

    public static RelayFixture withDefaults() throws IOException {
        return new RelayFixture(config(RelayConfig.HALF_CLOSE_LINGER, RelayConfig.CONNECTIONS_MAX));
    }

    public static RelayConfig config(Duration linger, int connectionsMax) {
        return RelayConfig.DEFAULTS.with(draft -> {
            draft.bindAddress = IpAddress.parse("127.0.0.1");
            draft.eventLoops = 2;
            draft.halfCloseLinger = linger;
            draft.connectionsMax = connectionsMax;
        });
    }

    public RelayFixture endpoints(Endpoint... endpoints) {
        service.update(portal(List.of(endpoints)), InternalClients.NONE, KeptClients.NONE);
        return this;
    }

    private Portal portal(List<Endpoint> endpoints) {
        return portal(port, endpoints);
    }

    public static Portal portal(ServicePort port, List<Endpoint> endpoints) {
        return new Portal(
                port,
                IpFamily.IPV4,
                Map.of(ServiceEntry.CLUSTER_IP, List.of(SERVICE.address())),
                0,
                new SelectedEndpoints(endpoints, List.of(), endpoints, !endpoints.isEmpty()));
    }

    void skipTurn() {
        service.nextTurn();
    }

    InetSocketAddress address() {
        return new InetSocketAddress(InetAddress.getLoopbackAddress(), server.port(IpFamily.IPV4));
    }

    public Socket connect() throws IOException {
        Socket socket = new Socket(InetAddress.getLoopbackAddress(), server.port(IpFamily.IPV4));
        socket.setSoTimeout(TIMEOUT_MILLIS);
        return socket;
    }

    /** Waits until the first event loop runs a task. */
    public void awaitTask() throws Exception {
        CompletableFuture<Boolean> runs = new CompletableFuture<>();
        server.schedule(() -> runs.complete(true), Duration.ZERO);
        runs.get(TIMEOUT_MILLIS, TimeUnit.MILLISECONDS);
    }

    public RelayMetrics metrics() {
        return metrics;
    }

    @Override
    public void close() {
        server.close();
    }
}
