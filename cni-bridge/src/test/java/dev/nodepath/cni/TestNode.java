package dev.nodepath.cni;

import dev.nodepath.cni.ipam.HostLocalIpam;
import dev.nodepath.cni.ipam.MemoryLocks;
import dev.nodepath.cni.protocol.CallOutcome;
import dev.nodepath.linux.FakeLinuxNet;
import dev.nodepath.linux.address.Cidr;
import dev.nodepath.linux.address.IpAddress;
import dev.nodepath.linux.link.Link;
import dev.nodepath.linux.namespace.NetworkNamespace;
import dev.nodepath.linux.syscall.LinuxNetException;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.stream.Stream;

/** A node of a fake kernel and a real folder of addresses, called as a runtime calls the plugin. */
public final class TestNode {
    public static final String NETWORK = "testConfig";
    private static final Duration LOCK_WAIT_MAX = Duration.ofSeconds(30);

    public final FakeLinuxNet net = new FakeLinuxNet();
    final MemoryLocks locks = new MemoryLocks();
    final Invocation invocation;
    AddressGate gate = AddressGate.OPEN;
    private final Path dataDir;

    public TestNode(Path dataDir) {
        this(dataDir, LOCK_WAIT_MAX);
    }

    TestNode(Path dataDir, Duration lockWaitMax) {
        this.dataDir = dataDir;
        BridgePlugin plugin = new BridgePlugin(
                net,
                new HostLocalIpam(locks, lockWaitMax),
                LinkRemoval.immediate(),
                new SplittableRandom(1),
                new AddressGate() {
                    @Override
                    public Passage announce(
                            String network, Map<String, String> args, Optional<Path> mark, List<IpAddress> addresses) {
                        return gate.announce(network, args, mark, addresses);
                    }

                    @Override
                    public void release(String network, Held held) throws IOException {
                        gate.release(network, held);
                    }
                });
        this.invocation = new Invocation(plugin, Path.of("/proc/self/ns/net"), dataDir);
    }

    /** Makes a container's namespace and returns its path. */
    public String pod(String name) throws LinuxNetException {
        net.create(name).close();
        return net.path(name).toString();
    }

    CallOutcome add(String config, String container, String netns) {
        return call(config, environment("ADD", container, netns));
    }

    CallOutcome del(String config, String container, String netns) {
        return call(config, environment("DEL", container, netns));
    }

    public CallOutcome call(String config, Map<String, String> environment) {
        return invocation.run(environment, new ByteArrayInputStream(config.getBytes(StandardCharsets.UTF_8)));
    }

    public static Map<String, String> environment(String command, String container, String netns) {
        Map<String, String> variables = new TreeMap<>();
        variables.put("CNI_COMMAND", command);
        variables.put("CNI_CONTAINERID", container);
        variables.put("CNI_NETNS", netns);
        variables.put("CNI_IFNAME", "eth0");
        variables.put("CNI_PATH", "/opt/cni/bin");
        return variables;
    }

    /** The configuration of upstream's tests with these members more, in its own folder of addresses. */
    public String config(String version, String members) {
        return "{\"cniVersion\":\"" + version + "\",\"name\":\"" + NETWORK + "\",\"type\":\"nodepath-bridge\","
                + "\"bridge\":\"bridge0\""
                + (members.isEmpty() ? "" : "," + members.replace("DATADIR", dataDir.toString()))
                + "}";
    }

    /** The same as a default gateway with these subnets. */
    String gatewayConfig(String version, String... subnets) {
        StringBuilder ranges = new StringBuilder();
        for (String subnet : subnets) {
            ranges.append(ranges.isEmpty() ? "" : ",")
                    .append("[{\"subnet\":\"")
                    .append(subnet)
                    .append("\"}]");
        }
        return config(
                version,
                "\"isDefaultGateway\":true,\"ipam\":{\"type\":\"host-local\",\"dataDir\":\"DATADIR\",\"ranges\":["
                        + ranges + "]}");
    }

    /** The address files of all networks; without any, other leftovers. */
    List<String> reserved() throws IOException {
        List<Path> left;
        try (Stream<Path> files = Files.walk(dataDir)) {
            left = files.filter(Files::isRegularFile)
                    .filter(file -> !file.getFileName().toString().matches("lock|last_reserved_ip[.].*"))
                    .sorted()
                    .toList();
        }
        List<String> addresses = left.stream()
                .filter(file -> !file.toString().contains("/.attachments/"))
                .map(file -> file.getFileName().toString())
                .toList();
        return addresses.isEmpty() ? left.stream().map(Path::toString).toList() : addresses;
    }

    public List<String> hostLinks() throws LinuxNetException {
        try (NetworkNamespace host = net.current()) {
            return host.links().stream().map(Link::name).toList();
        }
    }

    Link hostLink(String name) throws LinuxNetException {
        try (NetworkNamespace host = net.current()) {
            return host.link(name).orElseThrow();
        }
    }

    /** The content of a namespace as one text: links, addresses, routes. */
    static String state(NetworkNamespace namespace) throws LinuxNetException {
        return namespace.links() + "\n" + namespace.addresses() + "\n" + namespace.routes();
    }

    String state(String pod) throws LinuxNetException {
        try (NetworkNamespace namespace = net.openNamed(pod)) {
            return state(namespace);
        }
    }

    public List<String> addressesOf(NetworkNamespace namespace, String link) throws LinuxNetException {
        int index = namespace.link(link).orElseThrow().index();
        return namespace.addresses().stream()
                .filter(address -> address.linkIndex() == index)
                .map(address -> address.address())
                .map(Cidr::toString)
                .toList();
    }
}
