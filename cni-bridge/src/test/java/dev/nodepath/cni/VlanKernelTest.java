package dev.nodepath.cni;

import static org.assertj.core.api.Assertions.assertThat;

import dev.nodepath.cni.protocol.CniResult;
import dev.nodepath.cni.protocol.JsonParsing;
import dev.nodepath.cni.protocol.ResultParser;
import dev.nodepath.linux.KernelLinuxNet;
import dev.nodepath.linux.link.BridgeSpec;
import dev.nodepath.linux.link.Link;
import dev.nodepath.linux.link.PortVlan;
import dev.nodepath.linux.namespace.NetworkNamespace;
import java.io.ByteArrayInputStream;
import java.net.ConnectException;
import java.net.InetSocketAddress;
import java.net.NoRouteToHostException;
import java.net.SocketTimeoutException;
import java.net.StandardProtocolFamily;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The reachable pairs over a bridge with VLANs, on a kernel with VLAN support. */
@Tag("vm")
class VlanKernelTest {
    private static final KernelLinuxNet KERNEL = new KernelLinuxNet();
    private static final int CONNECT_LIMIT_MILLIS = 5_000;

    @TempDir
    Path dataDir;

    private final List<String> pods = new ArrayList<>();

    @AfterEach
    void removeEverything() throws Exception {
        for (String pod : pods) {
            try (NetworkNamespace namespace = KERNEL.openNamed(pod)) {
                deleteLinks(namespace);
            }
            KERNEL.delete(pod);
        }
        try (NetworkNamespace host = KERNEL.current()) {
            deleteLinks(host);
        }
    }

    private static void deleteLinks(NetworkNamespace namespace) throws Exception {
        for (Link link : namespace.links()) {
            if (!link.kind().isEmpty() && namespace.link(link.index()).isPresent()) {
                namespace.deleteLink(link.index());
            }
        }
    }

    @Test
    void containersOfOneVlanReachEachOtherAndNobodyElse() throws Exception {
        String one = add("one", "\"vlan\":100", "10.1.2.0/24");
        String two = add("two", "\"vlan\":100", "10.1.2.0/24");
        String other = add("other", "\"vlan\":200", "10.1.2.0/24");
        assertThat(reaches("one", "two", two)).isTrue();
        assertThat(reaches("two", "one", one)).isTrue();
        assertThat(reaches("one", "other", other)).isFalse();
        assertThat(reaches("other", "one", one)).isFalse();
    }

    @Test
    void anAddWithAnotherVlanMovesThePort() throws Exception {
        String moving = add("moving", "\"vlan\":100", "10.1.2.0/24");
        String before = add("before", "\"vlan\":100", "10.1.2.0/24");
        String after = add("after", "\"vlan\":200", "10.1.2.0/24");
        assertThat(reaches("moving", "before", before)).isTrue();
        assertThat(add("moving", "\"vlan\":200", "10.1.2.0/24")).isEqualTo(moving);
        assertThat(reaches("moving", "after", after)).isTrue();
        assertThat(reaches("before", "moving", moving)).isFalse();
    }

    @Test
    void aTrunkThatListsVlan1CarriesUntaggedFramesAndTheTagsOfTheOthers() throws Exception {
        String trunk = add("trunk", "\"vlanTrunk\":[{\"minID\":1,\"maxID\":3}]", "10.1.2.0/24");
        add("plain", "\"vlan\":1", "10.1.2.0/24");
        String tagged = add("tagged", "\"vlan\":2", "10.2.0.0/24");
        String outside = add("outside", "\"vlan\":4", "10.2.0.0/24");
        assertThat(reaches("plain", "trunk", trunk)).isTrue();
        try (NetworkNamespace pod = KERNEL.openNamed("trunk")) {
            assertThat(TestCommand.in(pod, "ip link add link eth0 name eth0.2 type vlan id 2"))
                    .isEmpty();
            assertThat(TestCommand.in(pod, "ip address add 10.2.0.200/24 dev eth0.2"))
                    .isEmpty();
            assertThat(TestCommand.in(pod, "ip link set eth0.2 up")).isEmpty();
        }
        assertThat(reaches("trunk", "tagged", tagged)).isTrue();
        assertThat(reaches("trunk", "outside", outside)).isFalse();
    }

    @Test
    void aTrunkMayBeAllThereIs() throws Exception {
        String members = "\"vlanTrunk\":[{\"minID\":1,\"maxID\":4094}]";
        String trunk = add("trunk", members, "10.1.2.0/24");
        add("plain", "\"vlan\":1", "10.1.2.0/24");
        assertThat(reaches("plain", "trunk", trunk)).isTrue();
        String result = call("ADD", "trunk", config(members, "10.1.2.0/24"));
        String checked = config(members, "10.1.2.0/24").replaceFirst("}$", ",\"prevResult\":" + result + "}");
        assertThat(call("CHECK", "trunk", checked)).isEmpty();
    }

    @Test
    void keepsVlan1BesideAnotherIfAsked() throws Exception {
        add("both", "\"vlan\":100,\"preserveDefaultVlan\":true", "10.1.2.0/24");
        try (NetworkNamespace host = KERNEL.current();
                NetworkNamespace pod = KERNEL.openNamed("both")) {
            int port = pod.link("eth0").orElseThrow().peerIndex();
            assertThat(host.vlans(port)).containsExactly(new PortVlan(1, 1, false, true), PortVlan.access(100));
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aContainerReachesItsGatewayInItsVlan(boolean overVlanLink) throws Exception {
        try (NetworkNamespace host = KERNEL.current()) {
            if (overVlanLink) {
                host.createBridge(new BridgeSpec("bridge0", Optional.empty(), Optional.empty(), false, true));
                assertThat(TestCommand.in(host, "ip link add link bridge0 name bridge0.100 type vlan id 100"))
                        .isEmpty();
            }
            add("inside", "\"vlan\":100,\"isGateway\":true", "10.1.2.0/24");
            add("outside", "\"vlan\":200", "10.1.2.0/24");
            assertThat(host.link("bridge0.100").orElseThrow().kind()).isEqualTo(overVlanLink ? "vlan" : "veth");
            assertThat(reaches("inside", host, "10.1.2.1")).isTrue();
            assertThat(reaches("outside", host, "10.1.2.1")).isFalse();
        }
    }

    @Test
    void aBridgeOfOthersIsNotMadeToFilter() throws Exception {
        try (NetworkNamespace host = KERNEL.current()) {
            Link bridge = host.createBridge(new BridgeSpec("bridge0", Optional.empty(), Optional.empty(), false));
            assertThat(call("ADD", "refused", config("\"vlan\":100", "10.1.2.0/24")))
                    .contains("bridge \\\"bridge0\\\" does not separate VLANs");
            assertThat(host.link(bridge.index()).orElseThrow().vlanFiltering()).isFalse();
            host.setVlanFiltering(bridge.index(), true);
            assertThat(add("taken", "\"vlan\":100", "10.1.2.0/24")).isNotEmpty();
        }
    }

    /** The container's address. */
    private String add(String pod, String members, String subnet) throws Exception {
        String added = call("ADD", pod, config(members, subnet));
        CniResult result = ResultParser.parse(JsonParsing.object(added.getBytes(StandardCharsets.UTF_8)));
        assertThat(result.ips()).as(added).hasSize(1);
        return result.ips().get(0).address().address().toString();
    }

    private String config(String members, String subnet) {
        return new TestNode(dataDir)
                .config(
                        "1.0.0",
                        members + ",\"ipam\":{\"type\":\"host-local\",\"dataDir\":\"DATADIR\",\"subnet\":\"" + subnet
                                + "\"}");
    }

    private String call(String command, String pod, String config) throws Exception {
        if (!pods.contains(pod)) {
            KERNEL.create(pod).close();
            pods.add(pod);
        }
        return NodeNet.invocation(KERNEL, KERNEL, LinkRemoval.immediate())
                .run(
                        TestNode.environment(command, pod, KERNEL.path(pod).toString()),
                        new ByteArrayInputStream(config.getBytes(StandardCharsets.UTF_8)))
                .stdout();
    }

    private static boolean reaches(String client, String server, String address) throws Exception {
        try (NetworkNamespace serving = KERNEL.openNamed(server)) {
            return reaches(client, serving, address);
        }
    }

    /** Whether a TCP connection is made within the limit. */
    private static boolean reaches(String client, NetworkNamespace server, String address) throws Exception {
        try (NetworkNamespace connecting = KERNEL.openNamed(client);
                ServerSocketChannel listening = server.call(() -> ServerSocketChannel.open(StandardProtocolFamily.INET)
                        .bind(new InetSocketAddress(address, 0)))) {
            return connecting.call(() -> {
                try (SocketChannel channel = SocketChannel.open(StandardProtocolFamily.INET)) {
                    channel.socket().connect(listening.getLocalAddress(), CONNECT_LIMIT_MILLIS);
                    return true;
                } catch (ConnectException | NoRouteToHostException | SocketTimeoutException e) {
                    return false;
                }
            });
        }
    }
}
