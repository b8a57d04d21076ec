package dev.nodepath.cni;

import static org.assertj.core.api.Assertions.assertThat;

import dev.nodepath.cni.protocol.CallOutcome;
import dev.nodepath.cni.server.BatchedRemoval;
import dev.nodepath.linux.KernelLinuxNet;
import dev.nodepath.linux.LinuxNet;
import dev.nodepath.linux.address.Cidr;
import dev.nodepath.linux.address.IpAddress;
import dev.nodepath.linux.link.Link;
import dev.nodepath.linux.namespace.NetworkNamespace;
import dev.nodepath.linux.namespace.VethSpec;
import dev.nodepath.linux.route.Route;
import java.io.ByteArrayInputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The effect of the plugin's rules on packets of a real kernel, and the remains of many simultaneous containers. */
@Tag("netns")
class BridgeNetfilterKernelTest {
    private static final KernelLinuxNet KERNEL = new KernelLinuxNet();
    private static final String NODE = "np-node";
    private static final String WORLD = "np-world";

    @TempDir
    Path dataDir;

    private final List<String> namespaces = new ArrayList<>();
    private Invocation invocation = new TestNode(Path.of("")).invocation;

    @BeforeEach
    void makeNode() throws Exception {
        LinuxNet net = NodeNet.of(KERNEL, NODE);
        invocation = NodeNet.invocation(KERNEL, net, new BatchedRemoval(net));
        make(NODE);
        make(WORLD);
        try (NetworkNamespace node = KERNEL.openNamed(NODE);
                NetworkNamespace world = KERNEL.openNamed(WORLD)) {
            Link uplink = node.createVeth(new VethSpec("uplink", Optional.empty(), "far", world, Optional.of(1420)));
            node.addAddress(uplink.index(), Cidr.parse("172.30.0.2/24"));
            node.setUp(uplink.index(), true);
            world.addAddress(uplink.peerIndex(), Cidr.parse("172.30.0.1/24"));
            world.setUp(uplink.peerIndex(), true);
            node.addRoute(Route.defaultVia(IpAddress.parse("172.30.0.1"), uplink.index()));
        }
    }

    @AfterEach
    void removeNamespaces() throws Exception {
        for (String namespace : namespaces) {
            KERNEL.delete(namespace);
        }
    }

    @Test
    void masqueradesWhatLeavesTheNetworkAndNothingElse() throws Exception {
        String config = config("\"ipMasq\":true,");
        succeeded(call("ADD", "a", config));
        succeeded(call("ADD", "b", config));
        try (NetworkNamespace world = KERNEL.openNamed(WORLD);
                NetworkNamespace a = KERNEL.openNamed("a");
                NetworkNamespace b = KERNEL.openNamed("b")) {
            assertThat(a.link("eth0").orElseThrow().mtu()).isEqualTo(1420);
            assertThat(TcpProbe.sourceSeen(world, "172.30.0.1", a)).isEqualTo("172.30.0.2");
            assertThat(TcpProbe.sourceSeen(b, "10.1.2.3", a)).isEqualTo("10.1.2.2");
        }
        succeeded(call("DEL", "a", config));
        try (NetworkNamespace world = KERNEL.openNamed(WORLD);
                NetworkNamespace b = KERNEL.openNamed("b")) {
            assertThat(TcpProbe.sourceSeen(world, "172.30.0.1", b)).isEqualTo("172.30.0.2");
        }
    }

    @Test
    void letsAServiceLeadToAContainerOfTheSameBridgeAndToTheClientItself() throws Exception {
        String config = config("\"hairpinMode\":true,\"bridgeNetfilter\":true,");
        try (NetworkNamespace node = KERNEL.openNamed(NODE)) {
            node.setSysctl("net/bridge/bridge-nf-call-iptables", "0"); // for all bridges; this one is asked for
            succeeded(call("ADD", "a", config));
            succeeded(call("ADD", "b", config));
            TestCommand.in(node, "iptables -t nat -A PREROUTING -p tcp -d 10.96.0.1 -j DNAT --to 10.1.2.3");
            TestCommand.in(node, "iptables -t nat -A PREROUTING -p tcp -d 10.96.0.2 -j DNAT --to 10.1.2.2");
            TestCommand.in(node, "iptables -t nat -A POSTROUTING -s 10.1.2.2 -d 10.1.2.2 -j MASQUERADE");
        }
        try (NetworkNamespace a = KERNEL.openNamed("a");
                NetworkNamespace b = KERNEL.openNamed("b")) {
            assertThat(TcpProbe.sourceSeen(b, "10.1.2.3", a, "10.96.0.1")).isEqualTo("10.1.2.2");
            assertThat(TcpProbe.sourceSeen(a, "10.1.2.2", a, "10.96.0.2")).isEqualTo("10.1.2.1");
        }
    }

    /** Neither another container's subnet nor a foreign address of the bridge hinders the next container. */
    @Test
    void masqueradesContainersOfSeveralSubnetsBesideAnAddressOfSomebodys() throws Exception {
        String one = config("\"ipMasq\":true,");
        String other = one.replace("10.1.2.0/24", "10.9.0.0/24");
        succeeded(call("ADD", "one", one));
        try (NetworkNamespace node = KERNEL.openNamed(NODE)) {
            int bridge = node.link("bridge0").orElseThrow().index();
            node.addAddress(bridge, Cidr.parse("169.254.169.254/32"));
            succeeded(call("ADD", "second", one));
            succeeded(call(
                    "ADD",
                    "other",
                    other.replace("\"isDefaultGateway\":true,", "\"isDefaultGateway\":false,\"isGateway\":false,")));
            assertThat(node.addresses(bridge)).anyMatch(has -> has.address().equals(Cidr.parse("169.254.169.254/32")));
        }
        try (NetworkNamespace world = KERNEL.openNamed(WORLD)) {
            for (String container : List.of("one", "second")) {
                try (NetworkNamespace client = KERNEL.openNamed(container)) {
                    assertThat(TcpProbe.sourceSeen(world, "172.30.0.1", client)).isEqualTo("172.30.0.2");
                }
            }
        }
    }

    /** Neighbours would use the MAC of the former owner for ten seconds and more. */
    @Test
    void makesAnAddressReachableAtOnceWhoeverHadItBefore() throws Exception {
        String plain = config("").replace("\"subnet\"", "\"ranges\":[[{\"subnet\":\"fd00::/64\"}]],\"subnet\"");
        String asking = plain.replace(
                "{\"cniVersion\"", "{\"args\":{\"cni\":{\"ips\":[\"10.1.2.9\",\"fd00::9\"]}},\"cniVersion\"");
        succeeded(call("ADD", "client", plain));
        succeeded(call("ADD", "old", asking));
        try (NetworkNamespace node = KERNEL.openNamed(NODE);
                NetworkNamespace client = KERNEL.openNamed("client")) {
            try (NetworkNamespace old = KERNEL.openNamed("old")) {
                assertReachable(old, client, node);
            }
            succeeded(call("DEL", "old", asking));
            succeeded(call("ADD", "young", asking));
            try (NetworkNamespace young = KERNEL.openNamed("young")) {
                assertReachable(young, client, node);
            }
        }
    }

    private static void assertReachable(NetworkNamespace server, NetworkNamespace... clients) throws Exception {
        for (String address : List.of("10.1.2.9", "fd00::9")) {
            for (NetworkNamespace client : clients) {
                assertThat(TcpProbe.isReachable(server, address, client))
                        .as(address)
                        .isTrue();
            }
        }
    }

    @Test
    void leavesNothingOfTwentyContainersAtOnce() throws Exception {
        String config = config("\"ipMasq\":true,\"ipspoofchk\":true,");
        List<Callable<CallOutcome>> adds = new ArrayList<>();
        List<Callable<CallOutcome>> dels = new ArrayList<>();
        for (int i = 0; i < 20; i++) {
            String container = "c" + i;
            make(container);
            adds.add(() -> call("ADD", container, config));
            dels.add(() -> call("DEL", container, config));
        }
        ExecutorService threads = Executors.newFixedThreadPool(20);
        try {
            for (Future<CallOutcome> outcome : threads.invokeAll(adds)) {
                succeeded(outcome.get());
            }
            assertThat(linksOfNode()).hasSize(23);
            for (Future<CallOutcome> outcome : threads.invokeAll(dels)) {
                succeeded(outcome.get());
            }
        } finally {
            threads.shutdownNow();
        }
        assertThat(linksOfNode()).containsExactlyInAnyOrder("lo", "uplink", "bridge0");
        String rules;
        try (NetworkNamespace node = KERNEL.openNamed(NODE)) {
            rules = TestCommand.in(node, "nft list ruleset");
        }
        assertThat(rules).contains("table inet nodepath_cni").doesNotContain("elements", "masquerade");
    }

    @Test
    void changesNothingWhenTheAddressFolderIsReadOnlyOrFull() throws Exception {
        for (String options : List.of("ro", "rw,nr_inodes=2", "rw,nr_inodes=3", "rw,nr_inodes=5", "rw,nr_inodes=6")) {
            TestCommand.run("mount", "-t", "tmpfs", "-o", options, "tmpfs", dataDir.toString());
            try {
                CallOutcome outcome = call("ADD", "a", config("\"ipMasq\":true,"));
                assertThat(outcome.stdout()).as(options).contains("\"code\":5,\"msg\":\"");
                assertThat(outcome.stdout()).as(options).containsAnyOf("Read-only", "EROFS", "No space", "ENOSPC");
                assertThat(linksOfNode()).as(options).hasSize(2);
                assertThat(dataDir.resolve("n").resolve("10.1.2.2")).doesNotExist();
            } finally {
                TestCommand.run("umount", dataDir.toString());
            }
        }
    }

    @Test
    void waitsForDuplicateDetectionOnlyIfAsked() throws Exception {
        for (String option : List.of("", "\"enabledad\":true,")) {
            String container = option.isEmpty() ? "plain" : "careful";
            succeeded(call("ADD", container, config(option).replace("10.1.2.0/24", "fd00::/64")));
            try (NetworkNamespace pod = KERNEL.openNamed(container)) {
                // The kernel's own link-local address may come after ADD and be tentative then.
                assertThat(pod.addresses())
                        .filteredOn(has -> has.address().toString().startsWith("fd00::"))
                        .isNotEmpty()
                        .noneMatch(has -> has.tentative());
                assertThat(pod.sysctl("net/ipv6/conf/eth0/accept_dad").strip()).isEqualTo(option.isEmpty() ? "0" : "1");
            }
        }
    }

    private static List<String> linksOfNode() throws Exception {
        try (NetworkNamespace node = KERNEL.openNamed(NODE)) {
            return node.links().stream().map(Link::name).toList();
        }
    }

    private CallOutcome call(String command, String container, String config) throws Exception {
        make(container);
        Map<String, String> environment =
                TestNode.environment(command, container, KERNEL.path(container).toString());
        return invocation.run(environment, new ByteArrayInputStream(config.getBytes(StandardCharsets.UTF_8)));
    }

    private void make(String namespace) throws Exception {
        synchronized (namespaces) {
            if (!namespaces.contains(namespace)) {
                KERNEL.create(namespace).close();
                namespaces.add(namespace);
            }
        }
    }

    private String config(String options) {
        return "{\"cniVersion\":\"1.0.0\",\"name\":\"n\",\"type\":\"x\",\"bridge\":\"bridge0\",\"isDefaultGateway\":true,"
                + options + "\"ipam\":{\"type\":\"host-local\",\"dataDir\":\"" + dataDir
                + "\",\"subnet\":\"10.1.2.0/24\"}}";
    }

    private static void succeeded(CallOutcome outcome) {
        assertThat(outcome.exitCode()).as(outcome.stdout()).isZero();
    }
}
