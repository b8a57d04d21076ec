package dev.nodepath.proxy.userspace;

import static org.assertj.core.api.Assertions.assertThat;

import dev.nodepath.endpoints.Endpoint;
import dev.nodepath.linux.Eventually;
import dev.nodepath.linux.address.IpAddress;
import dev.nodepath.proxy.userspace.metrics.RelayCount;
import dev.nodepath.proxy.userspace.relay.RelayConfig;
import dev.nodepath.proxy.userspace.relay.RelayConfigTest;
import java.io.IOException;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

/** An endpoint behind a router with a smaller MTU on its next link. */
@Tag("netns")
@ExtendWith(NoLeaks.class)
@Timeout(900)
class UdpMtuTest {
    private static final String ENDPOINT = "10.9.1.2";

    @BeforeEach
    void addRouter() throws Exception {
        run("""
                ip netns add router
                ip link add mtu0 type veth peer name mtu0 netns router
                ip addr add 10.9.0.1/24 dev mtu0
                ip link set mtu0 up
                ip -n router addr add 10.9.0.2/24 dev mtu0
                ip -n router link set mtu0 up
                ip netns exec router sysctl -qw net.ipv4.ip_forward=1
                ip -n router link add narrow mtu 600 type bridge
                ip -n router addr add 10.9.1.1/24 dev narrow
                ip -n router link set narrow up
                ip -n router neigh add ENDPOINT lladdr 02:00:00:00:00:02 dev narrow
                ip route add 10.9.1.0/24 via 10.9.0.2
                """);
    }

    @AfterEach
    void removeRouter() throws Exception {
        run("ip link del mtu0; ip netns del router");
    }

    /** Linux tells the sender by an error of its connected socket; the next datagrams go in fragments. */
    @Test
    void aRoutersWordOnADatagramThatIsTooLongIsNoRefusal() throws Exception {
        RelayConfig config = RelayConfigTest.CONFIG.with(draft -> draft.udpTimeout = Duration.ofSeconds(60));
        try (UdpFixture relay =
                        new UdpFixture(config).endpoints(Endpoint.ready(IpAddress.parse(ENDPOINT), 9, "node-b"));
                DatagramSocket client = relay.client()) {
            for (int i = 1; i <= 3; i++) {
                int sent = i;
                client.send(new DatagramPacket(new byte[1000], 1000));
                Eventually.isTrue(
                        "the router has told",
                        () -> run("ip route get ENDPOINT").contains("mtu 600"));
                Eventually.isTrue(
                        "it is passed on", () -> relay.metrics().of(RelayCount.DATAGRAMS_FROM_CLIENTS) == sent);
            }
            assertThat(relay.metrics().of(RelayCount.FLOWS_REFUSED)).isZero();
            assertThat(relay.metrics().of(RelayCount.FLOWS_OPENED)).isEqualTo(1);
            assertThat(relay.service().counts().traffic().failed()).isZero();
        }
    }

    private static String run(String lines) throws IOException, InterruptedException {
        Process process = new ProcessBuilder("sh", "-ec", lines.replace("ENDPOINT", ENDPOINT))
                .redirectErrorStream(true)
                .start();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.waitFor()).as(output).isZero();
        return output;
    }
}
