package dev.nodepath.agent.http;

import static org.assertj.core.api.Assertions.assertThat;

import dev.nodepath.endpoints.ChangeSet;
import dev.nodepath.endpoints.ServiceSnapshot;
import dev.nodepath.endpoints.Snapshots;
import dev.nodepath.linux.Eventually;
import dev.nodepath.linux.HeldPorts;
import dev.nodepath.linux.address.IpAddress;
import dev.nodepath.linux.address.IpFamily;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class ServiceHealthPortsTest {
    private final HttpPorts server = new HttpPorts();
    private Optional<Instant> pending = Optional.empty();
    private final ProxyHealth health = new ProxyHealth(
            InstantSource.system(), Duration.ofSeconds(60), List.of(IpFamily.IPV4), new ProxyHealth.Progress() {
                @Override
                public Optional<Instant> pendingSince() {
                    return pending;
                }

                @Override
                public Optional<Instant> lastSync(IpFamily family) {
                    return Optional.of(Instant.EPOCH);
                }

                @Override
                public boolean isNodeEligible() {
                    return false;
                }
            });
    private final ServiceHealthPorts ports =
            new ServiceHealthPorts(server, health, "n1", snapshot -> List.of(IpAddress.parse("127.0.0.1")));
    private final int port;

    ServiceHealthPortsTest() throws IOException {
        port = HeldPorts.next();
    }

    @AfterEach
    void close() {
        ports.close();
        server.close();
    }

    private Snapshots local() {
        return Snapshots.service("ns/web:http", "10.96.0.10", 80)
                .loadBalancerIps("198.51.100.7")
                .externalTrafficLocal()
                .healthCheckNodePort(port);
    }

    private void sync(ServiceSnapshot snapshot) {
        ports.ended(snapshot, ChangeSet.of(List.of(Snapshots.portName("ns/web:http"))), Set.of());
    }

    private String ask() throws IOException {
        try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
            socket.setSoTimeout(30_000);
            socket.getOutputStream()
                    .write("GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"
                            .getBytes(StandardCharsets.ISO_8859_1));
            return new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        } catch (SocketException e) {
            return "refused";
        }
    }

    @Test
    void countsReadyEndpointsOfTheNode() throws IOException {
        sync(local().endpoint("10.244.0.1:80", "n1")
                .endpoint("10.244.0.2:80", "n1")
                .endpoint("10.244.9.1:80", "n2")
                .drainingEndpoint("10.244.0.3:80", "n1")
                .unreadyEndpoint("10.244.0.4:80", "n1")
                .build());
        String body = """
                {
                	"service": {
                		"namespace": "ns",
                		"name": "web"
                	},
                	"localEndpoints": 2,
                	"serviceProxyHealthy": true
                }""";
        assertThat(ask())
                .startsWith("HTTP/1.1 200 OK\r\n")
                .containsIgnoringCase("\r\nContent-Type: application/json\r\n")
                .containsIgnoringCase("\r\nX-Content-Type-Options: nosniff\r\n")
                .containsIgnoringCase("\r\nX-Load-Balancing-Endpoint-Weight: 2\r\n")
                .endsWith("\r\n\r\n" + body);
    }

    @Test
    void countsAPodOfTwoFamiliesOnce() throws IOException {
        sync(local().endpoint("10.244.0.1:80", "n1")
                .endpoint("[fd00::1]:80", "n1")
                .endpoint("10.244.0.2:80", "n1")
                .build());
        assertThat(ask()).containsIgnoringCase("\r\nX-Load-Balancing-Endpoint-Weight: 2\r\n");
    }

    @Test
    void is503WhileTheProxyDoesNotKeepUp() throws IOException {
        sync(local().endpoint("10.244.0.1:80", "n1").build());
        pending = Optional.of(Instant.now().minusSeconds(61));
        assertThat(ask())
                .startsWith("HTTP/1.1 503 ")
                .containsIgnoringCase("Endpoint-Weight: 1\r\n")
                .contains("\"serviceProxyHealthy\": false");
    }

    @Test
    void is503WithoutAnEndpointHere() throws IOException {
        sync(local().endpoint("10.244.9.1:80", "n2").build());
        assertThat(ask())
                .startsWith("HTTP/1.1 503 ")
                .containsIgnoringCase("Endpoint-Weight: 0\r\n")
                .contains("\"localEndpoints\": 0");
        sync(local().endpoint("10.244.0.1:80", "n1").build());
        assertThat(ask()).startsWith("HTTP/1.1 200 ");
    }

    @Test
    void closesThePortOfAServiceThatHasNone() throws IOException {
        sync(local().endpoint("10.244.0.1:80", "n1").build());
        assertThat(ask()).startsWith("HTTP/1.1 200 ");
        sync(ServiceSnapshot.EMPTY);
        Eventually.isTrue("the port is closed", () -> ask().equals("refused"));
    }

    @Test
    void onlyLocalLoadBalancersHaveOne() throws IOException {
        sync(Snapshots.service("ns/web:http", "10.96.0.10", 80)
                .loadBalancerIps("198.51.100.7")
                .healthCheckNodePort(port)
                .build());
        assertThat(ask()).isEqualTo("refused");
    }

    @Test
    void triesAPortThatIsTakenAgainAfterEachSync() throws IOException {
        ServiceSnapshot snapshot = local().endpoint("10.244.0.1:80", "n1").build();
        try (ServerSocket other = new ServerSocket(port, 1, InetAddress.getLoopbackAddress())) {
            sync(snapshot);
            assertThat(other.isBound()).isTrue();
        }
        ports.ended(snapshot, ChangeSet.NONE, Set.of());
        assertThat(ask()).startsWith("HTTP/1.1 200 ");
    }

    @Test
    void keepsTheAddressesThatCanBeBound() throws IOException {
        List<IpAddress> addresses = List.of(IpAddress.parse("192.0.2.1"), IpAddress.parse("127.0.0.1"));
        try (ServiceHealthPorts some = new ServiceHealthPorts(server, health, "n1", snapshot -> addresses)) {
            some.ended(local().endpoint("10.244.0.1:80", "n1").build(), ChangeSet.NONE, Set.of());
            assertThat(ask()).startsWith("HTTP/1.1 200 ");
        }
    }

    @Test
    void opensAtTheLimitWhenAnotherCloses() throws IOException {
        int other = HeldPorts.next();
        ServiceSnapshot first = Snapshots.service("ns/first", "10.96.0.11", 80)
                .loadBalancerIps("198.51.100.8")
                .externalTrafficLocal()
                .healthCheckNodePort(other)
                .build();
        ServiceSnapshot second = local().endpoint("10.244.0.1:80", "n1").build();
        ServiceSnapshot both = local().endpoint("10.244.0.1:80", "n1")
                .andService("ns/first", "10.96.0.11", 80)
                .loadBalancerIps("198.51.100.8")
                .externalTrafficLocal()
                .healthCheckNodePort(other)
                .build();
        List<IpAddress> loopback = List.of(IpAddress.parse("127.0.0.1"));
        try (ServiceHealthPorts one = new ServiceHealthPorts(server, health, "n1", snapshot -> loopback, 1)) {
            one.ended(first, ChangeSet.NONE, Set.of());
            one.ended(both, ChangeSet.of(both.services().keySet()), Set.of());
            assertThat(ask()).isEqualTo("refused");
            one.ended(second, ChangeSet.of(first.services().keySet()), Set.of());
            assertThat(ask()).startsWith("HTTP/1.1 200 ");
        }
    }
}
