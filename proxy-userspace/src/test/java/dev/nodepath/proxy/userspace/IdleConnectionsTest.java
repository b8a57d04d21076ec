package dev.nodepath.proxy.userspace;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.UnixOperatingSystemMXBean;
import dev.nodepath.endpoints.Endpoint;
import dev.nodepath.linux.Eventually;
import dev.nodepath.linux.address.IpAddress;
import dev.nodepath.proxy.userspace.metrics.RelayCount;
import dev.nodepath.proxy.userspace.relay.RelayConfig;
import dev.nodepath.proxy.userspace.relay.RelayConfigTest;
import io.netty.buffer.AdaptiveByteBufAllocator;
import io.netty.buffer.ByteBufAllocator;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.net.InetAddress;
import java.net.Socket;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

/** Ten thousand connections on which nothing happens. */
@Tag("faults")
@ExtendWith(NoLeaks.class)
@Timeout(900)
class IdleConnectionsTest {
    private static final int CONNECTIONS = 10_000;

    /** Each connection has two of the process, which needs some for itself. */
    private static final int DESCRIPTORS = 2 * CONNECTIONS + 1_000;

    private static final int BYTES_EACH_MAX = 20_000;

    @Test
    void holdLittleMemoryDisturbNobodyAndAreGoneWithTheirClients() throws Exception {
        int connections = connections();
        // So many at once that a slow machine may not answer each before the default tries are over.
        RelayConfig config = RelayConfigTest.CONFIG.with(draft -> {
            draft.connectionsMax = RelayConfig.CONNECTIONS_MAX;
            draft.dialTimeouts = List.of(Duration.ofMinutes(1));
        });
        try (IdlePeer server = IdlePeer.start("listen");
                Backend echo = Backend.echo();
                RelayFixture relay = new RelayFixture(config)) {
            relay.endpoints(endpoint(Integer.parseInt(server.line())));
            long before = heldBytes();
            try (IdlePeer clients =
                    IdlePeer.start("connect", "" + relay.address().getPort(), "" + connections)) {
                assertThat(clients.line()).isEqualTo("open");
                Eventually.isTrue("all are connected", () -> relay.metrics().of(RelayCount.CONNECTED) == connections);
                assertThat((heldBytes() - before) / connections).isLessThan(BYTES_EACH_MAX);
                relay.endpoints(echo.endpoint());
                try (Socket client = relay.connect()) {
                    Clients.assertEchoes(client);
                }
                Eventually.isTrue(
                        "the other is over", () -> relay.metrics().active.get() == connections);
                clients.kill();
                // Otherwise it would keep half-closed connections open for their linger time.
                server.kill();
            }
            Eventually.isTrue("all are over", () -> relay.metrics().active.get() == 0);
        }
    }

    /** As many as descriptors allow: only root may raise the limit of a process. */
    private static int connections() throws IOException, InterruptedException {
        Process raise = new ProcessBuilder(
                        "prlimit",
                        "--pid",
                        "" + ProcessHandle.current().pid(),
                        "--nofile=" + DESCRIPTORS + ":" + DESCRIPTORS)
                .redirectErrorStream(true)
                .start();
        boolean isRaised = limit() >= DESCRIPTORS || raise.waitFor() == 0;
        raise.waitFor();
        int connections = isRaised ? CONNECTIONS : (int) Math.min(CONNECTIONS, (limit() - 1_000) / 2);
        System.out.println("idle connections: " + connections);
        assertThat(connections).as("connections that descriptors allow").isGreaterThanOrEqualTo(9_000);
        return connections;
    }

    private static long limit() {
        return ((UnixOperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean()).getMaxFileDescriptorCount();
    }

    private static long heldBytes() {
        System.gc();
        Runtime heap = Runtime.getRuntime();
        return heap.totalMemory()
                - heap.freeMemory()
                + ((AdaptiveByteBufAllocator) ByteBufAllocator.DEFAULT).metric().usedDirectMemory();
    }

    private static Endpoint endpoint(int port) {
        return Endpoint.ready(IpAddress.of(InetAddress.getLoopbackAddress()), port, "node-a");
    }
}
