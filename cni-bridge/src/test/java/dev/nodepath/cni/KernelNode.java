package dev.nodepath.cni;

import dev.nodepath.cni.RuntimeCall.Answer;
import dev.nodepath.cni.protocol.CallOutcome;
import dev.nodepath.linux.KernelLinuxNet;
import dev.nodepath.linux.address.Cidr;
import dev.nodepath.linux.link.InterfaceAddress;
import dev.nodepath.linux.link.Link;
import dev.nodepath.linux.link.PortVlan;
import dev.nodepath.linux.namespace.NetworkNamespace;
import dev.nodepath.linux.route.Route;
import dev.nodepath.linux.syscall.LinuxNetException;
import java.io.ByteArrayInputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.regex.Pattern;

/** A node of its own on the real kernel, with one container; either plugin can be called on it. */
final class KernelNode implements AutoCloseable {
    private static final Pattern MAC = Pattern.compile("([0-9a-f]{2}:){5}[0-9a-f]{2}");

    /** Where Debian's package containernetworking-plugins has its programs. */
    static final Path DEBIAN = Path.of("/usr/lib/cni");

    private static final KernelLinuxNet KERNEL = new KernelLinuxNet();

    private final String name;
    private final Invocation invocation;

    KernelNode(String name) throws Exception {
        this.name = name;
        KERNEL.create(name).close();
        KERNEL.create(pod()).close();
        for (String namespace : List.of(name, pod())) {
            try (NetworkNamespace opened = KERNEL.openNamed(namespace)) {
                opened.setUp(1, true);
            }
        }
        this.invocation = NodeNet.invocation(KERNEL, NodeNet.of(KERNEL, name), LinkRemoval.immediate());
    }

    private String pod() {
        return name + "-pod";
    }

    Map<String, String> environment(String command, String arguments) {
        Map<String, String> environment =
                TestNode.environment(command, "dummy", KERNEL.path(pod()).toString());
        environment.put("CNI_PATH", DEBIAN.toString());
        environment.put("PATH", System.getenv("PATH"));
        if (!arguments.isEmpty()) {
            environment.put("CNI_ARGS", arguments);
        }
        return environment;
    }

    Answer ours(String command, String arguments, String config) {
        CallOutcome outcome = invocation.run(
                environment(command, arguments), new ByteArrayInputStream(config.getBytes(StandardCharsets.UTF_8)));
        return new Answer(outcome.exitCode(), outcome.stdout(), outcome.stderr());
    }

    Answer debians(String command, String arguments, String config) throws Exception {
        List<String> line = List.of(
                "nsenter",
                "--net=" + KERNEL.path(name),
                DEBIAN.resolve("bridge").toString());
        return new RuntimeCall(line, environment(command, arguments)).call(config);
    }

    /** Links, addresses, routes, VLANs, rules and settings of node and container, without random parts. */
    List<String> state() throws Exception {
        TreeSet<String> state = new TreeSet<>();
        for (String namespace : List.of(name, pod())) {
            String where = namespace.equals(name) ? "node: " : "pod: ";
            try (NetworkNamespace opened = KERNEL.openNamed(namespace)) {
                describe(opened).forEach(line -> state.add(where + line));
                rules(opened).forEach(line -> state.add(where + line));
            }
        }
        return new ArrayList<>(state);
    }

    private static List<String> describe(NetworkNamespace namespace) throws Exception {
        List<String> lines = new ArrayList<>();
        List<Link> links = namespace.links();
        for (Link link : links) {
            lines.add("link " + plain(link.name()) + " kind=" + link.kind() + " mtu=" + link.mtu() + " up=" + link.up()
                    + " port=" + (link.masterIndex() != 0) + " promiscuous=" + link.promiscuous() + " hairpin="
                    + link.hairpin() + " isolated=" + link.isolated() + " vlans=" + link.vlanFiltering());
            if (link.masterIndex() != 0) {
                for (PortVlan vlan : namespace.vlans(link.index())) {
                    lines.add("vlan of " + plain(link.name()) + " " + vlan);
                }
            }
            if (!link.name().startsWith("veth")) {
                for (String key : settings(namespace, link)) {
                    lines.add(key + "=" + namespace.sysctl("net/" + key).strip());
                }
            }
        }
        for (InterfaceAddress address : namespace.addresses()) {
            if (!address.address().toString().startsWith("fe80:")) {
                Link link = link(links, address.linkIndex());
                // A gateway's address is usable at once here, and a second or two later there.
                boolean waits = address.tentative() && !link.kind().equals("bridge");
                lines.add("address " + address.address() + " of " + plain(link.name()) + (waits ? " tentative" : ""));
            }
        }
        for (Route route : namespace.routes()) {
            if (!route.destination().equals(Cidr.parse("fe80::/64"))) {
                lines.add("route " + route.destination() + " via " + route.gateway() + " on "
                        + plain(link(links, route.linkIndex()).name()));
            }
        }
        for (String key : List.of("net/ipv4/ip_forward", "net/ipv6/conf/all/forwarding")) {
            lines.add(key + "=" + namespace.sysctl(key).strip());
        }
        return lines;
    }

    /**
     * The MACs that frames may have: upstream's rules name them, and ours the elements of a set. How addresses are
     * masqueraded is where the plugins differ.
     */
    private static List<String> rules(NetworkNamespace namespace) throws Exception {
        return TestCommand.in(namespace, "nft list ruleset bridge")
                .lines()
                .flatMap(line -> MAC.matcher(line).results())
                .map(found -> "a MAC of a container")
                .toList();
    }

    /** Bridges and ends without addresses of their own skip duplicate detection here too, and not there. */
    private static List<String> settings(NetworkNamespace namespace, Link link) throws LinuxNetException {
        List<String> keys = new ArrayList<>();
        keys.add("ipv4/conf/" + link.name() + "/arp_notify");
        keys.add("ipv6/conf/" + link.name() + "/accept_ra");
        boolean hasAddress = namespace.addresses().stream()
                .anyMatch(address -> address.linkIndex() == link.index()
                        && !address.address().toString().startsWith("fe80:"));
        if (hasAddress && !link.kind().equals("bridge")) {
            keys.add("ipv6/conf/" + link.name() + "/accept_dad");
        }
        return keys;
    }

    private static Link link(List<Link> links, int index) {
        return links.stream().filter(has -> has.index() == index).findFirst().orElseThrow();
    }

    static String plain(String linkName) {
        return linkName.replaceAll("^veth[0-9a-f]{8}$", "veth*");
    }

    @Override
    public void close() throws LinuxNetException {
        KERNEL.delete(pod());
        KERNEL.delete(name);
    }
}
