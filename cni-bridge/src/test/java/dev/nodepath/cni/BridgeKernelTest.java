package dev.nodepath.cni;

import static org.assertj.core.api.Assertions.assertThat;

import dev.nodepath.cni.RuntimeCall.Answer;
import dev.nodepath.linux.KernelLinuxNet;
import dev.nodepath.linux.LinuxNet;
import dev.nodepath.linux.link.Link;
import dev.nodepath.linux.namespace.NetworkNamespace;
import dev.nodepath.linux.syscall.LinuxNetException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * The plugin as a process on the real kernel, in the empty namespace of the test run and containers' namespaces of its
 * own.
 */
@Tag("netns")
class BridgeKernelTest {
    private static final LinuxNet KERNEL = new KernelLinuxNet();
    private static final RuntimeCall PLUGIN = RuntimeCall.program();

    @TempDir
    Path dataDir;

    private final List<String> pods = new ArrayList<>();
    private TestNode node = new TestNode(Path.of(""));

    @BeforeEach
    void startEmpty() throws Exception {
        node = new TestNode(dataDir);
        try (NetworkNamespace host = KERNEL.current()) {
            assertThat(host.links()).as("the test run's own namespace").hasSize(1);
        }
    }

    @AfterEach
    void removeEverything() throws Exception {
        for (String pod : pods) {
            KERNEL.delete(pod);
        }
        try (NetworkNamespace host = KERNEL.current()) {
            for (Link link : host.links()) {
                if (!link.kind().isEmpty()) {
                    deleteIfThere(host, link);
                }
            }
        }
    }

    /** The kernel takes a pod's namespace apart in the background, and with it the other end of a link here. */
    private static void deleteIfThere(NetworkNamespace host, Link link) throws LinuxNetException {
        try {
            host.deleteLink(link.index());
        } catch (LinuxNetException e) {
            assertThat(e.isMissing()).as(e.toString()).isTrue();
        }
    }

    /** A record's own equals and hashCode are made at first use, a fifth of the whole process's time. */
    @Test
    void comparesNoRecordsByTheMethodsThatJavaMakes(@TempDir Path logs) throws Exception {
        String netns = pod("h1");
        String config = node.gatewayConfig("1.0.0", "10.1.2.0/24", "fd00::/64")
                .replace("\"isDefaultGateway\"", "\"ipMasq\":true,\"isDefaultGateway\"");
        for (String call : List.of("ADD", "DEL")) {
            Path loaded = logs.resolve(call);
            List<String> command = new ArrayList<>(TestJvm.command(Main.class));
            command.add(1, "-Xlog:class+load:file=" + loaded);
            Answer answer = new RuntimeCall(command, Map.of()).call(call, "dummy", netns, config);
            assertThat(answer.exitCode()).as(answer.stdout()).isZero();
            assertThat(Files.readString(loaded))
                    .contains("dev.nodepath.linux.address.IpAddress")
                    .doesNotContain("java.lang.runtime.ObjectMethods");
        }
    }

    @ParameterizedTest(name = "{0} {1}")
    @CsvSource({
        "0.2.0, 10.1.2.0/24, 10.1.2.1, 10.1.2.2/24, 0.0.0.0/0",
        "1.0.0, 10.1.2.0/24, 10.1.2.1, 10.1.2.2/24, 0.0.0.0/0",
        "1.1.0, 2001:db8::/64, 2001:db8::1, 2001:db8::2/64, ::/0",
    })
    void wiresAndUnwiresAContainer(String version, String subnet, String gateway, String address, String anywhere)
            throws Exception {
        String netns = pod("h1");
        String config = node.gatewayConfig(version, subnet);
        Answer added = PLUGIN.call("ADD", "dummy", netns, config);
        assertThat(added.exitCode()).as(added.stdout() + added.stderr()).isZero();
        assertThat(added.stderr()).isEmpty();
        assertThat(added.stdout()).contains("\"" + address + "\"", "\"dst\":\"" + anywhere + "\",\"gw\":\"" + gateway);

        String network = gateway + address.substring(address.indexOf('/'));
        try (NetworkNamespace host = KERNEL.current();
                NetworkNamespace pod = KERNEL.openNamed("h1")) {
            assertThat(host.links()).hasSize(3);
            Link bridge = host.link("bridge0").orElseThrow();
            assertThat(node.addressesOf(host, "bridge0")).contains(network);
            Link eth0 = pod.link("eth0").orElseThrow();
            assertThat(eth0.up()).isTrue();
            assertThat(eth0.mac()).isNotEqualTo(bridge.mac());
            assertThat(node.addressesOf(pod, "eth0")).contains(address);
            // The kernel's own link-local address may take longer on a busy machine.
            assertThat(pod.addresses())
                    .filteredOn(has -> has.address().toString().equals(address))
                    .noneMatch(has -> has.tentative());
            assertThat(pod.routes().toString()).contains(gateway);
            if (!version.equals("0.2.0")) {
                assertThat(added.stdout())
                        .contains("{\"name\":\"bridge0\",\"mac\":\""
                                + bridge.mac().orElseThrow() + "\"")
                        .contains("{\"name\":\"eth0\",\"mac\":\"" + eth0.mac().orElseThrow() + "\"")
                        .contains("\"sandbox\":\"" + netns + "\"");
            }
            String forwarding = anywhere.equals("::/0") ? "net/ipv6/conf/all/forwarding" : "net/ipv4/ip_forward";
            assertThat(host.sysctl(forwarding).strip()).isEqualTo("1");

            for (int i = 0; i < 2; i++) {
                Answer deleted = PLUGIN.call("DEL", "dummy", netns, config);
                assertThat(deleted).isEqualTo(new Answer(0, "", ""));
                assertThat(pod.link("eth0")).isEmpty();
                assertThat(host.links()).extracting(Link::name).containsExactly("lo", "bridge0");
            }
        }
        assertThat(node.reserved()).isEmpty();
    }

    @Test
    void letsContainersReachEachOtherAndTheirGatewayAtOnce() throws Exception {
        String config = node.gatewayConfig("1.0.0", "10.1.2.0/24", "fd00::/64");
        assertSucceeded(PLUGIN.call("ADD", "server", pod("server"), config));
        assertSucceeded(PLUGIN.call("ADD", "client", pod("client"), config));
        try (NetworkNamespace host = KERNEL.current();
                NetworkNamespace server = KERNEL.openNamed("server");
                NetworkNamespace client = KERNEL.openNamed("client")) {
            assertThat(TcpProbe.sourceSeen(server, "10.1.2.2", client)).isEqualTo("10.1.2.3");
            assertThat(TcpProbe.sourceSeen(server, "fd00::2", client)).isEqualTo("fd00:0:0:0:0:0:0:3");
            assertThat(TcpProbe.sourceSeen(host, "10.1.2.1", client)).isEqualTo("10.1.2.3");
            assertThat(TcpProbe.sourceSeen(server, "10.1.2.2", host)).isEqualTo("10.1.2.1");
        }
    }

    @Test
    void letsAContainerReachItselfOverAHairpinPort() throws Exception {
        assertSucceeded(
                PLUGIN.call("ADD", "dummy", pod("hairpin"), node.config("1.0.0", "\"hairpinMode\":true,\"mtu\":1400")));
        try (NetworkNamespace host = KERNEL.current()) {
            Link port = host.links().stream()
                    .filter(link -> link.kind().equals("veth"))
                    .findFirst()
                    .orElseThrow();
            assertThat(port.hairpin()).isTrue();
            assertThat(port.mtu()).isEqualTo(1400);
            assertThat(host.link("bridge0").orElseThrow().mtu()).isEqualTo(1400);
        }
    }

    @Test
    void refusesBadNamespacesAndFreesNothingElse() throws Exception {
        String config = node.gatewayConfig("1.0.0", "10.1.2.0/24");
        Path plain = Files.createFile(dataDir.resolve("plain"));
        for (String netns : List.of("/run/netns/missing", plain.toString(), "/")) {
            Answer answer = PLUGIN.call("ADD", "dummy", netns, config);
            assertThat(answer.stdout()).contains("\"code\":8,\"msg\":\"failed to open netns \\\"" + netns + "\\\": ");
            assertThat(answer.exitCode()).isEqualTo(1);
            assertThat(PLUGIN.call("DEL", "dummy", netns, config)).isEqualTo(new Answer(0, "", ""));
        }
        Files.delete(plain);
        Answer own = PLUGIN.call("ADD", "dummy", "/proc/self/ns/net", config);
        assertThat(own.stdout()).contains("\"code\":8,\"msg\":\"plugin's netns and netns from CNI_NETNS should not be");
        try (NetworkNamespace host = KERNEL.current()) {
            assertThat(host.links()).hasSize(1);
        }
        assertThat(node.reserved()).isEmpty();
    }

    @Test
    void leavesNothingWhenTheContainerHasTheInterfaceOrARouteIsRefused() throws Exception {
        String netns = pod("taken");
        String config = node.gatewayConfig("1.0.0", "10.1.2.0/24");
        assertSucceeded(PLUGIN.call("ADD", "dummy", netns, config));
        assertThat(PLUGIN.call("ADD", "other", netns, config).stdout())
                .contains("container veth name (\\\"eth0\\\") already exists");
        assertThat(node.reserved()).containsExactly("10.1.2.2");

        String unreachable =
                config.replace("\"ranges\"", "\"routes\":[{\"dst\":\"1.0.0.0/8\",\"gw\":\"9.9.9.9\"}],\"ranges\"");
        Answer refused = PLUGIN.call("ADD", "third", pod("unreachable"), unreachable);
        assertThat(refused.stdout()).contains("\"code\":999", "ENETUNREACH");
        assertThat(node.reserved()).containsExactly("10.1.2.2");
        try (NetworkNamespace host = KERNEL.current();
                NetworkNamespace pod = KERNEL.openNamed("unreachable")) {
            assertThat(pod.link("eth0")).isEmpty();
            assertThat(host.links()).hasSize(3);
        }
    }

    @Test
    void freesTheAddressOfANamespaceThatIsGone() throws Exception {
        String config = node.gatewayConfig("1.0.0", "10.1.2.0/24");
        String netns = pod("gone");
        assertSucceeded(PLUGIN.call("ADD", "dummy", netns, config));
        KERNEL.delete("gone");
        pods.remove("gone");
        assertThat(PLUGIN.call("DEL", "dummy", netns, config)).isEqualTo(new Answer(0, "", ""));
        assertThat(node.reserved()).isEmpty();
    }

    @Test
    void wiresTenContainersAtOnceToOneBridge() throws Exception {
        String config = node.gatewayConfig("1.1.0", "10.1.2.0/24");
        List<Callable<Answer>> calls = new ArrayList<>();
        for (int i = 0; i < 10; i++) {
            String container = "p" + i;
            String netns = pod(container);
            calls.add(() -> PLUGIN.call("ADD", container, netns, config));
        }
        List<Answer> answers = all(calls);
        TreeMap<String, String> bridgeMacs = new TreeMap<>();
        List<String> addresses = new ArrayList<>();
        for (Answer answer : answers) {
            assertSucceeded(answer);
            bridgeMacs.put(answer.between("{\"name\":\"bridge0\",\"mac\":\"", "\""), answer.stdout());
            addresses.add(answer.between("\"address\":\"", "\""));
        }
        assertThat(bridgeMacs).hasSize(1);
        assertThat(addresses).hasSize(10).doesNotHaveDuplicates();
        try (NetworkNamespace host = KERNEL.current();
                NetworkNamespace first = KERNEL.openNamed("p0");
                NetworkNamespace last = KERNEL.openNamed("p9")) {
            assertThat(TcpProbe.sourceSeen(first, addressOf("p0"), last)).isEqualTo(addressOf("p9"));
            assertThat(host.links()).hasSize(2 + 10);
            assertThat(node.addressesOf(host, "bridge0")).contains("10.1.2.1/24");
            List<Callable<Answer>> deletions = new ArrayList<>();
            for (String pod : pods) {
                deletions.add(() -> PLUGIN.call("DEL", pod, "/run/netns/" + pod, config));
            }
            assertThat(all(deletions)).allMatch(answer -> answer.equals(new Answer(0, "", "")));
            assertThat(host.links()).hasSize(2);
            assertThat(host.link("bridge0").orElseThrow().mac().orElseThrow()).hasToString(bridgeMacs.firstKey());
        }
        assertThat(node.reserved()).isEmpty();
    }

    private String pod(String name) throws Exception {
        KERNEL.create(name).close();
        pods.add(name);
        return KERNEL.path(name).toString();
    }

    private static List<Answer> all(List<Callable<Answer>> calls) throws Exception {
        ExecutorService threads = Executors.newFixedThreadPool(calls.size());
        try {
            List<Answer> answers = new ArrayList<>();
            for (Future<Answer> answer : threads.invokeAll(calls)) {
                answers.add(answer.get());
            }
            return answers;
        } finally {
            threads.shutdownNow();
        }
    }

    private static String addressOf(String pod) throws Exception {
        try (NetworkNamespace namespace = KERNEL.openNamed(pod)) {
            return namespace.addresses().stream()
                    .map(has -> has.address().address().toString())
                    .filter(text -> text.startsWith("10.1.2."))
                    .findFirst()
                    .orElseThrow();
        }
    }

    private static void assertSucceeded(Answer answer) {
        assertThat(answer.exitCode()).as(answer.stdout() + answer.stderr()).isZero();
    }
}
