package dev.nodepath.cni;

import static org.assertj.core.api.Assertions.assertThat;

import dev.nodepath.cni.RuntimeCall.Answer;
import dev.nodepath.linux.Eventually;
import dev.nodepath.linux.KernelLinuxNet;
import dev.nodepath.linux.LinuxNet;
import dev.nodepath.linux.address.Cidr;
import dev.nodepath.linux.link.BridgeSpec;
import dev.nodepath.linux.link.Link;
import dev.nodepath.linux.namespace.NetworkNamespace;
import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Addresses of a DHCP server on the bridge (dnsmasq), asked for by the daemon of Debian's plugin {@code dhcp}. */
@Tag("netns")
class DhcpKernelTest {
    private static final LinuxNet KERNEL = new KernelLinuxNet();

    @TempDir
    Path folder;

    private final List<Process> servers = new ArrayList<>();
    private String netns = "";

    @BeforeEach
    void bridgeWithAServer() throws Exception {
        try (NetworkNamespace host = KERNEL.current()) {
            assertThat(host.links()).as("the test run's own namespace").hasSize(1);
            Link bridge = host.createBridge(new BridgeSpec("bridge0", Optional.empty(), Optional.empty(), false));
            host.addAddress(bridge.index(), Cidr.parse("10.20.0.1/24"));
            host.setUp(bridge.index(), true);
        }
        KERNEL.create("dhcp-pod").close();
        netns = KERNEL.path("dhcp-pod").toString();
        // In the foreground it stays the user that it is, and in the process's namespace, which is the node here.
        start(
                "dnsmasq",
                "--no-daemon",
                "--conf-file=/dev/null",
                "--port=0",
                "--interface=bridge0",
                "--bind-interfaces",
                "--no-ping",
                "--dhcp-authoritative",
                "--dhcp-range=10.20.0.10,10.20.0.20,255.255.255.0,1h",
                "--dhcp-leasefile=" + folder.resolve("leases"),
                "--pid-file=");
    }

    @AfterEach
    void removeEverything() throws Exception {
        for (Process server : servers) {
            server.destroy();
            assertThat(server.waitFor()).isNotNegative();
        }
        KERNEL.delete("dhcp-pod");
        try (NetworkNamespace host = KERNEL.current()) {
            host.deleteLink(host.link("bridge0").orElseThrow().index());
        }
    }

    @Test
    void theContainerGetsItsLeaseAtOnceAndDelGivesItBack() throws Exception {
        startDaemon();
        Answer added = call("ADD", netns);
        assertThat(added.exitCode()).as(added.toString() + log()).isZero();
        assertThat(log())
                .as("a request that is lost on a link that does not carry packets yet")
                .doesNotContain("retrying");
        assertThat(leases()).hasSize(1);
        String address = leases().get(0).split(" ", -1)[2];
        assertThat(added.stdout()).contains("\"" + address + "/24\"", "\"gw\":\"10.20.0.1\"");
        try (NetworkNamespace pod = KERNEL.openNamed("dhcp-pod");
                NetworkNamespace host = KERNEL.current()) {
            assertThat(pod.addresses()).anyMatch(has -> has.address().equals(Cidr.parse(address + "/24")));
            assertThat(TcpProbe.sourceSeen(host, "10.20.0.1", pod)).isEqualTo(address);

            assertThat(call("DEL", netns)).isEqualTo(new Answer(0, "", ""));
            Eventually.isTrue("the lease to be given back", () -> leases().isEmpty());
            assertThat(pod.link("eth0")).isEmpty();
            assertThat(host.links()).extracting(Link::name).containsExactly("lo", "bridge0");
        }
        assertThat(call("DEL", netns)).isEqualTo(new Answer(0, "", ""));
    }

    @Test
    void delGivesTheLeaseBackWithoutANamespaceToo() throws Exception {
        startDaemon();
        assertThat(call("ADD", netns).exitCode()).as(log()).isZero();
        assertThat(leases()).hasSize(1);
        assertThat(call("DEL", "")).isEqualTo(new Answer(0, "", ""));
        Eventually.isTrue("the lease to be given back", () -> leases().isEmpty());
    }

    @Test
    void anAddThatIsMadeAgainLeavesOneLeaseAndOneAddress() throws Exception {
        startDaemon();
        assertThat(call("ADD", netns).exitCode()).as(log()).isZero();
        Answer again = call("ADD", netns);
        assertThat(again.exitCode()).as(again.stdout() + log()).isZero();
        Eventually.isTrue("one lease", () -> leases().size() == 1);
        String address = leases().get(0).split(" ", -1)[2];
        try (NetworkNamespace pod = KERNEL.openNamed("dhcp-pod")) {
            assertThat(pod.addresses().stream()
                            .map(has -> has.address().toString())
                            .filter(text -> text.startsWith("10.20.")))
                    .containsExactly(address + "/24");
        }
        assertThat(call("DEL", netns)).isEqualTo(new Answer(0, "", ""));
        Eventually.isTrue("the lease to be given back", () -> leases().isEmpty());
    }

    @Test
    void anAddThatTheDaemonRefusesLeavesNothing() throws Exception {
        Answer refused = call("ADD", netns);
        assertThat(refused.stdout()).contains("error dialing DHCP daemon");
        assertThat(refused.exitCode()).isEqualTo(1);
        try (NetworkNamespace pod = KERNEL.openNamed("dhcp-pod");
                NetworkNamespace host = KERNEL.current()) {
            assertThat(pod.link("eth0")).isEmpty();
            assertThat(host.links()).extracting(Link::name).containsExactly("lo", "bridge0");
        }
    }

    private void startDaemon() throws Exception {
        start(KernelNode.DEBIAN.resolve("dhcp").toString(), "daemon", "-socketpath", socket());
        Eventually.isTrue("the daemon to listen", () -> {
            try (SocketChannel channel = SocketChannel.open(StandardProtocolFamily.UNIX)) {
                return channel.connect(UnixDomainSocketAddress.of(socket()));
            } catch (IOException e) {
                return false;
            }
        });
    }

    private void start(String... command) throws IOException {
        servers.add(new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(
                        ProcessBuilder.Redirect.appendTo(folder.resolve("log").toFile()))
                .start());
    }

    private Answer call(String command, String netns) throws Exception {
        Map<String, String> environment = new TreeMap<>(TestNode.environment(command, "dummy", netns));
        environment.put("CNI_PATH", KernelNode.DEBIAN.toString());
        environment.putAll(RuntimeCall.program().environment());
        String ipam = "\"ipam\":{\"type\":\"dhcp\",\"daemonSocketPath\":\"" + socket() + "\"}";
        return new RuntimeCall(RuntimeCall.program().command(), environment)
                .call(new TestNode(folder).config("1.0.0", ipam));
    }

    private String socket() {
        return folder.resolve("dhcp.sock").toString();
    }

    /** One line for each, its third word the address; the server writes its file anew at each change. */
    private List<String> leases() throws IOException {
        Path file = folder.resolve("leases");
        return Files.exists(file) ? Files.readAllLines(file) : List.of();
    }

    private String log() throws IOException {
        return Files.readString(folder.resolve("log"));
    }
}
