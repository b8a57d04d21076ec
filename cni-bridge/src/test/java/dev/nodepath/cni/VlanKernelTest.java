package dev.nodepath.cni;

import static org.assertj.core.api.Assertions.assertThat;

import dev.nodepath.cni.RuntimeCall.Answer;
import dev.nodepath.linux.KernelLinuxNet;
import dev.nodepath.linux.Link;
import dev.nodepath.linux.NetworkNamespace;
import dev.nodepath.linux.PortVlan;
import java.io.ByteArrayInputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.NoRouteToHostException;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Who reaches whom over a bridge that keeps VLANs apart, on a kernel that is built with them. */
@Tag("vm")
class VlanKernelTest {
    private static final KernelLinuxNet KERNEL = new KernelLinuxNet();
    private static final String NODE = "np-node";

    /** Above the 3 s in which the kernel finds that nobody has an address. */
    private static final int CONNECT_MILLIS_MAX = 60_000;

    @TempDir
    private Path dataDir;

    private final List<String> namespaces = new ArrayList<>();
    private Invocation invocation = new TestNode(Path.of("")).invocation;

    @BeforeEach
    void makeNode() throws Exception {
        invocation = NodeNet.invocation(KERNEL, NodeNet.of(KERNEL, NODE), LinkRemoval.immediate());
        make(NODE);
    }

    @AfterEach
    void removeNamespaces() throws Exception {
        for (String namespace : namespaces) {
            KERNEL.delete(namespace);
        }
    }

    @Test
    void keepsContainersOfTwoVlansApart() throws Exception {
        String a = add("a", "\"vlan\":100");
        String b = add("b", "\"vlan\":100");
        String c = add("c", "\"vlan\":200");
        assertReaches("a", "b", b);
        assertReaches("b", "a", a);
        assertDoesNotReach("a", "c", c);
        assertDoesNotReach("c", "a", a);
        assertThat(vlansOf("a")).containsExactly(PortVlan.access(100));
        for (String container : List.of("a", "b", "c")) {
            succeeded(call("DEL", container, config("\"vlan\":100")));
        }
        assertThat(linksOfNode()).containsExactlyInAnyOrder("lo", "bridge0");
    }

    @Test
    void keepsTheDefaultVlanBesideAnotherIfAsked() throws Exception {
        add("a", "\"vlan\":100,\"preserveDefaultVlan\":true");
        assertThat(vlansOf("a")).containsExactly(new PortVlan(1, 1, false, true), PortVlan.access(100));
    }

    @Test
    void givesATrunkTheTaggedFramesOfItsVlansAndNoOther() throws Exception {
        String in100 = add("in100", "\"vlan\":100");
        String in200 = add("in200", "\"vlan\":200");
        String in300 = add("in300", "\"vlan\":300");
        add("trunk", "\"vlanTrunk\":[{\"id\":100},{\"minID\":199,\"maxID\":201}]");
        assertThat(vlansOf("trunk"))
                .containsExactly(
                        PortVlan.access(1),
                        PortVlan.tagged(100),
                        PortVlan.tagged(199),
                        PortVlan.tagged(200),
                        PortVlan.tagged(201));
        tag("trunk", 100, "10.1.2.100/24");
        assertReaches("trunk", "in100", in100);
        assertReaches("in100", "trunk", "10.1.2.100");
        assertDoesNotReach("trunk", "in200", in200);
        tag("trunk", 200, "10.1.2.200/24");
        assertReaches("in200", "trunk", "10.1.2.200");
        tag("trunk", 300, "10.1.2.201/24");
        assertDoesNotReach("trunk", "in300", in300);
    }

    /** VLAN 1 is that of frames without a tag, unless another is asked for. */
    @Test
    void passesUntaggedFramesOfATrunkThatListsTheDefaultVlan() throws Exception {
        String plain = add("plain", "\"vlanTrunk\":[{\"id\":300}]");
        String trunk = add("trunk", "\"vlanTrunk\":[{\"id\":1},{\"id\":100}]");
        assertThat(vlansOf("trunk")).containsExactly(PortVlan.access(1), PortVlan.tagged(100));
        assertReaches("plain", "trunk", trunk);
        assertReaches("trunk", "plain", plain);
    }

    @Test
    void movesThePortToTheVlanOfALaterConfiguration() throws Exception {
        add("a", "\"vlan\":100");
        String b = add("b", "\"vlan\":200");
        add("a", "\"vlan\":200");
        assertThat(vlansOf("a")).containsExactly(PortVlan.access(200));
        assertReaches("a", "b", b);
        succeeded(call("CHECK", "a", withResult("\"vlan\":200", call("ADD", "a", config("\"vlan\":200")))));
    }

    @Test
    void givesTheNodeAnEndInTheVlanOfItsGateway() throws Exception {
        String gateway = "\"vlan\":100,\"isGateway\":true";
        String a = add("a", gateway);
        String b = add("b", "\"vlan\":200");
        assertReaches("a", NODE, "10.1.2.1");
        assertReaches(NODE, "a", a);
        assertDoesNotReach("b", NODE, "10.1.2.1");
        assertDoesNotReach(NODE, "b", b);
        assertThat(linkOfNode("bridge0.100").kind()).isEqualTo("veth");
        String again = add("again", gateway);
        assertReaches(NODE, "again", again);
        assertThat(linksOfNode()).filteredOn(name -> name.startsWith("bridge0")).hasSize(2);
    }

    @Test
    void usesAVlanLinkThatTheBridgeHas() throws Exception {
        in(NODE, "ip link add bridge0 type bridge vlan_filtering 1");
        in(NODE, "ip link set bridge0 up");
        in(NODE, "ip link add link bridge0 name bridge0.100 type vlan id 100");
        String a = add("a", "\"vlan\":100,\"isGateway\":true");
        assertThat(linkOfNode("bridge0.100").kind()).isEqualTo("vlan");
        assertReaches("a", NODE, "10.1.2.1");
        assertReaches(NODE, "a", a);
    }

    private void assertReaches(String client, String server, String address) throws Exception {
        assertThat(reaches(client, server, address))
                .as(client + " to " + server)
                .isTrue();
    }

    private void assertDoesNotReach(String client, String server, String address) throws Exception {
        assertThat(reaches(client, server, address))
                .as(client + " to " + server)
                .isFalse();
    }

    /** Whether a connection comes about; if not, nobody may have answered for the address. */
    private static boolean reaches(String client, String server, String address) throws Exception {
        InetAddress target = InetAddress.getByName(address);
        try (NetworkNamespace from = KERNEL.openNamed(client);
                NetworkNamespace to = KERNEL.openNamed(server);
                ServerSocket listening = to.call(() -> new ServerSocket(0, 1, target))) {
            return from.call(() -> {
                try (Socket socket = new Socket()) {
                    socket.connect(new InetSocketAddress(target, listening.getLocalPort()), CONNECT_MILLIS_MAX);
                    return true;
                } catch (NoRouteToHostException e) {
                    return false;
                }
            });
        }
    }

    /** Lets a container use a VLAN of its trunk, with this address alone. */
    private static void tag(String container, int vlan, String address) throws Exception {
        String link = "eth0." + vlan;
        in(container, "ip link add link eth0 name " + link + " type vlan id " + vlan);
        in(container, "ip link set " + link + " up");
        in(container, "ip address flush to 10.1.2.0/24");
        in(container, "ip address add " + address + " dev " + link);
    }

    private static void in(String namespace, String command) throws Exception {
        try (NetworkNamespace opened = KERNEL.openNamed(namespace)) {
            Process process = opened.call(() -> new ProcessBuilder(command.split(" "))
                    .redirectErrorStream(true)
                    .start());
            String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            assertThat(process.waitFor()).as(command + ": " + output).isZero();
        }
    }

    private static List<PortVlan> vlansOf(String container) throws Exception {
        try (NetworkNamespace pod = KERNEL.openNamed(container);
                NetworkNamespace node = KERNEL.openNamed(NODE)) {
            return node.vlans(pod.link("eth0").orElseThrow().peerIndex());
        }
    }

    private static List<String> linksOfNode() throws Exception {
        try (NetworkNamespace node = KERNEL.openNamed(NODE)) {
            return node.links().stream().map(Link::name).toList();
        }
    }

    private static Link linkOfNode(String name) throws Exception {
        try (NetworkNamespace node = KERNEL.openNamed(NODE)) {
            return node.link(name).orElseThrow();
        }
    }

    /** Wires a container and returns its address. */
    private String add(String container, String options) throws Exception {
        Answer answer = call("ADD", container, config(options));
        succeeded(answer);
        return answer.between("\"address\":\"", "/24\"");
    }

    private Answer call(String command, String container, String config) throws Exception {
        make(container);
        Map<String, String> environment =
                TestNode.environment(command, container, KERNEL.path(container).toString());
        Outcome outcome =
                invocation.run(environment, new ByteArrayInputStream(config.getBytes(StandardCharsets.UTF_8)));
        return new Answer(outcome.exitCode(), outcome.stdout(), outcome.stderr());
    }

    private void make(String namespace) throws Exception {
        if (!namespaces.contains(namespace)) {
            try (NetworkNamespace made = KERNEL.create(namespace)) {
                made.setUp(1, true);
            }
            namespaces.add(namespace);
        }
    }

    private String config(String options) {
        return "{\"cniVersion\":\"1.0.0\",\"name\":\"n\",\"type\":\"x\",\"bridge\":\"bridge0\"," + options
                + ",\"ipam\":{\"type\":\"host-local\",\"dataDir\":\"" + dataDir + "\",\"subnet\":\"10.1.2.0/24\"}}";
    }

    private String withResult(String options, Answer added) {
        succeeded(added);
        return config(options).replaceFirst("\\{", "{\"prevResult\":" + added.stdout() + ",");
    }

    private static void succeeded(Answer answer) {
        assertThat(answer.exitCode()).as(answer.stdout()).isZero();
    }
}
