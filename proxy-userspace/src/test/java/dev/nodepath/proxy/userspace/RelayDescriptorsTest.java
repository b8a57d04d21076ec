package dev.nodepath.proxy.userspace;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.FileInputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

/** What happens when the process has no descriptor left. */
@ExtendWith(NoLeaks.class)
@Timeout(60)
class RelayDescriptorsTest {
    @Test
    void acceptsAgainWhenThereAreDescriptorsAgain() throws Exception {
        List<FileInputStream> hoard = new ArrayList<>();
        try (Backend echo = Backend.echo();
                RelayFixture relay = RelayFixture.withDefaults().endpoints(echo.endpoint());
                Socket before = relay.connect();
                Socket waiting = new Socket()) {
            RelayTest.assertEchoes(before);
            waiting.bind(null);
            waiting.setSoTimeout(30_000);
            try {
                takeAllDescriptors(hoard);
                waiting.connect(new InetSocketAddress(
                        InetAddress.getLoopbackAddress(), relay.address().getPort()));
                Conditions.await("accepting fails", () -> relay.metrics.acceptFailures.sum() > 0);
                for (int i = 0; i < 500; i++) {
                    RelayTest.assertEchoes(before);
                }
            } finally {
                for (FileInputStream file : hoard) {
                    file.close();
                }
            }
            RelayTest.assertEchoes(waiting);
            assertThat(relay.counts().accepted()).isEqualTo(2);
            assertThat(relay.counts().acceptFailures()).isLessThan(10);
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
