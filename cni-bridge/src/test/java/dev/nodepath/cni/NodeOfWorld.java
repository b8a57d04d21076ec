package dev.nodepath.cni;

import dev.nodepath.cni.protocol.CallOutcome;
import dev.nodepath.linux.Eventually;
import dev.nodepath.linux.KernelLinuxNet;
import dev.nodepath.linux.address.Cidr;
import dev.nodepath.linux.link.Link;
import dev.nodepath.linux.namespace.NetworkNamespace;
import dev.nodepath.linux.namespace.VethSpec;
import dev.nodepath.linux.syscall.LinuxNetException;
import java.io.ByteArrayInputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** A node with an uplink to a world, both network namespaces of the real kernel, and calls of the plugin on it. */
final class NodeOfWorld implements AutoCloseable {
    static final String NODE = "np-node";
    static final String WORLD = "np-world";
    static final String NODE_IPV4 = "172.30.0.2";
    static final String NODE_IPV6 = "fd30:0:0:0:0:0:0:2";

    private static final KernelLinuxNet KERNEL = new KernelLinuxNet();

    private final List<String> namespaces = new ArrayList<>();
    private final Invocation invocation;

    NodeOfWorld(Path dataDir) {
        invocation = NodeNet.invocation(KERNEL, NodeNet.of(KERNEL, NODE), LinkRemoval.immediate(), dataDir);
    }

    /** Makes both, and returns the index of the uplink's end in the world. */
    int make() throws Exception {
        make(NODE);
        make(WORLD);
        try (NetworkNamespace node = KERNEL.openNamed(NODE);
                NetworkNamespace world = KERNEL.openNamed(WORLD)) {
            node.setUp(node.link("lo").orElseThrow().index(), true);
            Link uplink = node.createVeth(new VethSpec("uplink", Optional.empty(), "far", world, Optional.empty()));
            // A link looks for its neighbours only when its own fe80:: address has passed the search for duplicates.
            node.setSysctl("net/ipv6/conf/uplink/accept_dad", "0");
            world.setSysctl("net/ipv6/conf/far/accept_dad", "0");
            for (String network : List.of("172.30.0.%d/24", "fd30::%d/64")) {
                node.addAddress(uplink.index(), Cidr.parse(String.format(network, 2)));
                world.addAddress(uplink.peerIndex(), Cidr.parse(String.format(network, 1)));
            }
            node.setUp(uplink.index(), true);
            world.setUp(uplink.peerIndex(), true);
            // The kernel may take a second to tell that both ends are up; until then the link drops packets.
            Eventually.isTrue(
                    "the uplink runs",
                    () -> node.link(uplink.index()).orElseThrow().running()
                            && world.link(uplink.peerIndex()).orElseThrow().running());
            return uplink.peerIndex();
        }
    }

    /** Makes a network namespace, unless it is there. */
    void make(String namespace) throws Exception {
        if (!namespaces.contains(namespace)) {
            KERNEL.create(namespace).close();
            namespaces.add(namespace);
        }
    }

    /** A call for a container in the namespace of its name. */
    CallOutcome call(String command, String container, String config) throws Exception {
        return call(command, container, container, config);
    }

    CallOutcome call(String command, String container, String namespace, String config) throws Exception {
        make(namespace);
        Map<String, String> environment =
                TestNode.environment(command, container, KERNEL.path(namespace).toString());
        environment.put("CNI_PATH", KernelNode.DEBIAN.toString());
        return invocation.run(environment, new ByteArrayInputStream(config.getBytes(StandardCharsets.UTF_8)));
    }

    /** The node's rules, as {@code nft} lists them. */
    String rules() throws Exception {
        try (NetworkNamespace node = KERNEL.openNamed(NODE)) {
            return node.call(() -> {
                Process nft = new ProcessBuilder("nft", "list", "ruleset").start();
                return new String(nft.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            });
        }
    }

    @Override
    public void close() throws LinuxNetException {
        for (String namespace : namespaces) {
            KERNEL.delete(namespace);
        }
    }
}
