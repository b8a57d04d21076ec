package dev.nodepath.agent.daemon;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.nodepath.agent.options.ProxyMode;
import dev.nodepath.linux.KernelLinuxNet;
import dev.nodepath.linux.namespace.NetworkNamespace;
import java.io.IOException;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The kill of a process with {@code --keep-client-address}, and its successors. */
@Tag("netns")
@Tag("faults")
@Timeout(900)
class KeptAddressNetnsTest extends AgentNodeFixture {
    private static final String CLIENT = "10.244.1.5";
    private static final String ENDPOINT = "10.244.1.6";
    private static final String BRIDGE = "10.244.1.1";
    private static final String CLUSTER_IP = "10.96.0.10";

    private final List<ServerSocket> servers = new ArrayList<>();

    @BeforeEach
    void addPods() throws IOException, InterruptedException {
        node.namespace().run("ip", "link", "add", "cni0", "address", "02:00:0a:f4:01:01", "type", "bridge");
        node.namespace().run("ip", "addr", "add", BRIDGE + "/24", "dev", "cni0");
        node.namespace().run("ip", "link", "set", "cni0", "up");
        node.namespace().run("sysctl", "-qw", "net.ipv4.ip_forward=1");
        addPod("kept-client", CLIENT);
        addPod("kept-endpoint", ENDPOINT);
        ServerSocket server =
                inside("kept-endpoint", () -> new ServerSocket(8080, 50, InetAddress.getByName(ENDPOINT)));
        servers.add(server);
        Thread thread = new Thread(() -> tellSources(server));
        thread.setDaemon(true);
        thread.start();
        node.setEndpoint(ENDPOINT);
    }

    private void addPod(String name, String address) throws IOException, InterruptedException {
        netns("add", name);
        node.namespace().run("ip", "link", "add", name, "type", "veth", "peer", "name", "eth0", "netns", name);
        node.namespace().run("ip", "link", "set", name, "master", "cni0", "up");
        node.namespace().run("ip", "-n", name, "addr", "add", address + "/24", "dev", "eth0");
        node.namespace().run("ip", "-n", name, "link", "set", "eth0", "up");
        node.namespace().run("ip", "-n", name, "route", "add", "default", "via", BRIDGE);
    }

    @AfterEach
    void removePods() throws IOException, InterruptedException {
        for (ServerSocket server : servers) {
            server.close();
        }
        for (String pod : List.of("kept-client", "kept-endpoint")) {
            netns("del", pod);
        }
    }

    /** Not inside the node, because each command there has a mount namespace of its own. */
    private static void netns(String change, String name) throws IOException, InterruptedException {
        Process process =
                new ProcessBuilder("ip", "netns", change, name).inheritIO().start();
        assertThat(process.waitFor()).isZero();
    }

    @Test
    void aTableThatOthersHaveRemovedComesBackAndTheNextProcessTakesItOver() throws Exception {
        NodepathProcess first = kept("first", "--keep-client-address");
        assertThat(ask(CLUSTER_IP, 80)).isEqualTo(CLIENT);
        node.namespace().run("nft", "delete table ip nodepath-clients");
        first.await(() -> tables().contains("table ip nodepath-clients"));
        assertThat(ask(CLUSTER_IP, 80)).isEqualTo(CLIENT);
        first.kill();

        assertThat(tables()).contains("table ip nodepath-clients");
        // The wait is bounded, and pods reach each other as before.
        assertThatThrownBy(() -> ask(CLUSTER_IP, 80)).isInstanceOf(ConnectException.class);
        assertThat(ask(ENDPOINT, 8080)).isEqualTo(CLIENT);

        NodepathProcess second = kept("second", "--keep-client-address");
        assertThat(ask(CLUSTER_IP, 80)).isEqualTo(CLIENT);
        assertThat(second.terminate()).isEqualTo(143);
        assertThat(tables()).doesNotContain("nodepath-clients");
    }

    @Test
    void aProcessWithoutTheOptionRemovesWhatIsLeft() throws Exception {
        NodepathProcess first = kept("first", "--keep-client-address");
        first.kill();

        NodepathProcess second = kept("second");
        second.await(() -> !tables().contains("nodepath-clients"));
        assertThat(ask(CLUSTER_IP, 80)).isEqualTo(BRIDGE);
        assertThat(second.log()).contains("portal.left_clients_removed");
    }

    @ParameterizedTest
    @EnumSource(names = {"IPTABLES", "NFTABLES"})
    void anotherModeRemovesWhatIsLeft(ProxyMode mode) throws Exception {
        NodepathProcess first = kept("first", "--keep-client-address");
        first.kill();

        NodepathProcess second = kept("second", "--mode=" + mode);
        second.await(() -> !tables().contains("nodepath-clients"));
        assertThat(ask(CLUSTER_IP, 80)).isEqualTo(CLIENT);
    }

    /** Its file says NodeCIDR and no CIDR of the cluster: {@code scripts/kind/nodepath.yaml}. */
    @Test
    void keepsAddressesWithTheShippedConfiguration() throws Exception {
        Path config = Files.writeString(Files.createTempFile("config", ".yaml"), """
                apiVersion: kubeproxy.config.k8s.io/v1alpha1
                kind: KubeProxyConfiguration
                mode: userspace
                detectLocalMode: NodeCIDR
                conntrack:
                  maxPerCore: 0
                """);
        try {
            NodepathProcess agent =
                    node.agent("agent", "--config=" + config, "--hostname-override=n1", "--keep-client-address");
            agent.awaitLog("proxy.synced");
            agent.await(() -> ask(CLUSTER_IP, 80).equals(CLIENT));
        } finally {
            Files.delete(config);
        }
    }

    private NodepathProcess kept(String name, String... options) throws IOException {
        List<String> all = new ArrayList<>(List.of(options));
        if (all.stream().noneMatch(option -> option.startsWith("--mode="))) {
            all.add("--mode=userspace");
        }
        all.addAll(List.of("--hostname-override=n1", "--cluster-cidr=10.244.0.0/16", "--iptables-sync-period=1s"));
        NodepathProcess proxy = node.proxy(name, all.toArray(String[]::new));
        proxy.awaitLog("proxy.synced");
        return proxy;
    }

    private String tables() throws IOException {
        return node.namespace().run("nft", "list", "tables");
    }

    /** The source that the endpoint sees of the client's pod. */
    private String ask(String address, int port) throws Exception {
        try (Socket socket = connect(address, port)) {
            socket.setSoTimeout(10_000);
            return new String(socket.getInputStream().readAllBytes(), US_ASCII);
        }
    }

    private static Socket connect(String address, int port) throws IOException {
        // Its descriptor comes with the first call, so that has to be made inside.
        Socket socket = inside("kept-client", () -> {
            Socket unbound = new Socket();
            unbound.setReuseAddress(true);
            return unbound;
        });
        try {
            socket.connect(new InetSocketAddress(address, port), 10_000);
            return socket;
        } catch (IOException e) {
            socket.close();
            throw e;
        }
    }

    private static void tellSources(ServerSocket server) {
        try {
            while (true) {
                try (Socket client = server.accept()) {
                    client.getOutputStream()
                            .write(client.getInetAddress().getHostAddress().getBytes(US_ASCII));
                }
            }
        } catch (IOException e) {
            // The test is over.
        }
    }

    private static <T> T inside(String pod, NetworkNamespace.NamespaceTask<T> task) throws IOException {
        try (NetworkNamespace namespace = new KernelLinuxNet().openNamed(pod)) {
            return namespace.call(task);
        }
    }
}
