package dev.nodepath.proxy.userspace;

import static org.assertj.core.api.Assertions.assertThat;

import dev.nodepath.endpoints.ServicePolicy;
import dev.nodepath.linux.Eventually;
import dev.nodepath.proxy.userspace.metrics.RelayCount;
import dev.nodepath.proxy.userspace.relay.DescriptorLimit;
import dev.nodepath.proxy.userspace.relay.RelayConfig;
import dev.nodepath.proxy.userspace.relay.RelayConfigTest;
import java.io.FileInputStream;
import java.io.IOException;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

/** The process without free descriptors. */
@ExtendWith(NoLeaks.class)
@Timeout(900)
class RelayDescriptorsTest {
    @Test
    void acceptsAgainWhenThereAreDescriptorsAgain() throws Exception {
        List<FileInputStream> hoard = new ArrayList<>();
        try (Backend echo = Backend.echo();
                RelayFixture relay = RelayFixture.withDefaults().endpoints(echo.endpoint());
                Socket before = relay.connect();
                Socket waiting = new Socket()) {
            Clients.assertEchoes(before);
            waiting.bind(null);
            waiting.setSoTimeout(30_000);
            try {
                takeAllDescriptors(hoard);
                waiting.connect(new InetSocketAddress(
                        InetAddress.getLoopbackAddress(), relay.address().getPort()));
                Eventually.isTrue("accepting fails", () -> relay.metrics().of(RelayCount.ACCEPT_FAILURES) > 0);
                for (int i = 0; i < 500; i++) {
                    Clients.assertEchoes(before);
                }
            } finally {
                for (FileInputStream file : hoard) {
                    file.close();
                }
            }
            Clients.assertEchoes(waiting);
            assertThat(relay.metrics().of(RelayCount.ACCEPTED)).isEqualTo(2);
            assertThat(relay.metrics().of(RelayCount.ACCEPT_FAILURES)).isLessThan(10);
        }
    }

    /** The remaining descriptors are for rules, the API server, health. */
    @Test
    void acceptingPausesBeforeAllDescriptorsAreTaken() throws Exception {
        try (Backend echo = Backend.echo();
                RelayFixture relay = new RelayFixture(
                                RelayConfigTest.CONFIG,
                                (client, family) -> RelayFixture.SERVICE,
                                ServicePolicy.DEFAULT,
                                4)
                        .endpoints(echo.endpoint());
                Socket first = relay.connect();
                Socket second = relay.connect()) {
            Clients.assertEchoes(first);
            Clients.assertEchoes(second);
            try (Socket waiting = relay.connect()) {
                Eventually.isTrue("accepting pauses", () -> relay.metrics().of(RelayCount.ACCEPT_FAILURES) > 0);
                Clients.assertEchoes(first);
                assertThat(relay.metrics().of(RelayCount.ACCEPTED)).isEqualTo(2);
                first.shutdownOutput();
                Clients.assertEchoes(waiting);
            }
        }
    }

    @Test
    void readsTheLimitOfTheProcess() {
        assertThat(DescriptorLimit.of(List.of(
                        "Limit                     Soft Limit           Hard Limit           Units",
                        "Max open files            20000                524288               files")))
                .isEqualTo(20_000 - DescriptorLimit.RESERVE);
        assertThat(DescriptorLimit.of(List.of("Max open files            400                  400        files")))
                .isEqualTo(200);
        assertThat(DescriptorLimit.of(List.of("Max open files            unlimited      unlimited        files")))
                .isEqualTo(Integer.MAX_VALUE);
        assertThat(DescriptorLimit.ofThisProcess()).isPositive();
    }

    @Test
    void datagramsOfKnownClientsGoOnAndThoseOfNewOnesWaitForDescriptors() throws Exception {
        List<FileInputStream> hoard = new ArrayList<>();
        RelayConfig patient = RelayConfigTest.CONFIG.with(draft -> draft.udpTimeout = Duration.ofSeconds(60));
        try (UdpBackend echo = UdpBackend.echo();
                UdpFixture relay = new UdpFixture(patient).endpoints(echo.endpoint());
                DatagramSocket known = relay.client();
                DatagramSocket late = relay.client()) {
            byte[] content = {1, 2, 3};
            assertThat(UdpFixture.ask(known, content)).isEqualTo(content);
            try {
                takeAllDescriptors(hoard);
                late.send(new DatagramPacket(content, content.length));
                Eventually.isTrue("a flow fails", () -> relay.metrics().of(RelayCount.DIALS_FAILED) == 1);
                for (int i = 0; i < 500; i++) {
                    assertThat(UdpFixture.ask(known, content)).isEqualTo(content);
                }
                assertThat(relay.metrics().of(RelayCount.DATAGRAMS_DROPPED)).isEqualTo(1);
                assertThat(relay.metrics().flowsActive.get()).isEqualTo(1);
            } finally {
                for (FileInputStream file : hoard) {
                    file.close();
                }
            }
            assertThat(UdpFixture.ask(late, content)).isEqualTo(content);
            assertThat(relay.metrics().of(RelayCount.FLOWS_OPENED)).isEqualTo(2);
        }
    }

    private static void takeAllDescriptors(List<FileInputStream> hoard) {
        try {
            while (true) {
                hoard.add(new FileInputStream("/dev/null"));
            }
        } catch (IOException e) {
            // There are no more.
        }
    }
}
