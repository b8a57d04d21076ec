package dev.nodepath.linux.conntrack;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.nodepath.linux.FakeLinuxNet;
import dev.nodepath.linux.KernelLinuxNet;
import dev.nodepath.linux.address.IpAddress;
import dev.nodepath.linux.address.IpFamily;
import dev.nodepath.linux.namespace.NetworkNamespace;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.StandardProtocolFamily;
import java.nio.ByteBuffer;
import java.nio.channels.DatagramChannel;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The real kernel, in a namespace with a rule that makes it track. */
@Tag("netns")
class KernelConntrackTest extends ConntrackContract {
    private static final IpAddress SELF = IpAddress.parse("127.0.0.1");

    private final KernelLinuxNet net = new KernelLinuxNet();
    private final String name = "conntrack-" + ProcessHandle.current().pid();
    private NetworkNamespace namespace = new FakeLinuxNet().current();
    private Conntrack conntrack = new FakeConntrack();
    private DatagramChannel client = DatagramChannel.open();

    KernelConntrackTest() throws IOException {}

    @BeforeEach
    void setUp() throws Exception {
        namespace = net.create(name);
        namespace.setUp(1, true);
        conntrack = namespace.call(net::conntrack);
        client.close();
        client = namespace.call(() -> {
            trackBy("iptables");
            return DatagramChannel.open(StandardProtocolFamily.INET)
                    .bind(new InetSocketAddress(SELF.toInetAddress(), 0));
        });
    }

    /** The kernel tracks nothing before a rule asks for it. */
    private static void trackBy(String command) throws IOException, InterruptedException {
        Process rule = new ProcessBuilder(command, "-A", "OUTPUT", "-m", "conntrack", "--ctstate", "NEW")
                .inheritIO()
                .start();
        if (rule.waitFor() != 0) {
            throw new IOException(command + ": exit code " + rule.exitValue());
        }
    }

    @AfterEach
    void tearDown() throws IOException {
        client.close();
        conntrack.close();
        namespace.close();
        net.delete(name);
    }

    @Override
    Conntrack conntrack() {
        return conntrack;
    }

    @Override
    void track(int port) throws IOException {
        client.send(ByteBuffer.wrap(new byte[] {1}), new InetSocketAddress(SELF.toInetAddress(), port));
    }

    @Test
    void findsFlowsOfBothFamiliesInOneRequest() throws Exception {
        IpAddress self = IpAddress.parse("::1");
        namespace.call(() -> {
            trackBy("ip6tables");
            try (DatagramChannel other = DatagramChannel.open(StandardProtocolFamily.INET6)) {
                return other.send(ByteBuffer.wrap(new byte[] {1}), new InetSocketAddress(self.toInetAddress(), 7001));
            }
        });
        track(7002);

        assertThat(conntrack.findAmongAll(flow -> flow.protocol() == 17))
                .extracting(flow -> flow.original().destination())
                .containsExactlyInAnyOrder(self, SELF);
    }

    @Test
    void aClosedOneSaysSo() {
        conntrack.close();
        assertThatThrownBy(() -> conntrack.find(FlowFilter.of(IpFamily.IPV4, 17), flow -> true))
                .isInstanceOf(IllegalStateException.class);
    }
}
