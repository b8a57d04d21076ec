package dev.nodepath.proxy.userspace;

import dev.nodepath.endpoints.Endpoint;
import dev.nodepath.endpoints.NamespacedName;
import dev.nodepath.endpoints.Protocol;
import dev.nodepath.endpoints.ServicePortName;
import dev.nodepath.linux.IpAddress;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.time.Duration;
import java.util.List;

/** A relay on the loopback address whose clients all mean one service port, so that no rules are needed. */
final class RelayFixture implements AutoCloseable {
    static final Destination SERVICE = new Destination(IpAddress.parse("10.96.0.10"), 80);
    static final ServicePortName NAME = new ServicePortName(new NamespacedName("default", "web"), "http", Protocol.TCP);

    private static final int TIMEOUT_MILLIS = 30_000;

    final RelayMetrics metrics = new RelayMetrics();
    final RelayServer server;
    private final RoundRobinBalancer balancer = new RoundRobinBalancer();

    RelayFixture(RelayConfig config) throws IOException {
        this(config, client -> SERVICE);
    }

    RelayFixture(RelayConfig config, OriginalDestination originalDestination) throws IOException {
        server = RelayServer.open(config, originalDestination, metrics);
        PortalPlan plan = new PortalPlan(
                List.of(new Portal(new Portal.Key(NAME, false), List.of(SERVICE), 0, List.of())),
                PortalPlan.EMPTY.unserved());
        server.publish(PortalTable.of(plan, name -> balancer));
    }

    static RelayFixture withDefaults() throws IOException {
        return new RelayFixture(config(RelayConfig.HALF_CLOSE_LINGER, RelayConfig.CONNECTIONS_MAX));
    }

    static RelayConfig config(Duration linger, int connectionsMax) {
        return new RelayConfig(IpAddress.parse("127.0.0.1"), 2, RelayConfig.DIAL_TIMEOUTS, linger, connectionsMax);
    }

    RelayFixture endpoints(Endpoint... endpoints) {
        balancer.update(List.of(endpoints));
        return this;
    }

    void skipTurn() {
        balancer.nextTurn();
    }

    InetSocketAddress address() {
        return new InetSocketAddress(InetAddress.getLoopbackAddress(), server.port());
    }

    Socket connect() throws IOException {
        Socket socket = new Socket(InetAddress.getLoopbackAddress(), server.port());
        socket.setSoTimeout(TIMEOUT_MILLIS);
        return socket;
    }

    RelayMetrics.Counts counts() {
        return metrics.counts();
    }

    @Override
    public void close() {
        server.close();
    }
}
