package dev.nodepath.emulator.walk;

import dev.nodepath.agent.options.CommandException;
import dev.nodepath.agent.options.NearNames;
import dev.nodepath.agent.options.UnknownName;
import dev.nodepath.emulator.cluster.PodView;
import dev.nodepath.endpoints.NamespacedName;
import dev.nodepath.endpoints.Protocol;
import dev.nodepath.endpoints.ServicePort;
import dev.nodepath.linux.address.IpAddress;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Finds hosts and destinations by the names of a command line. */
final class WalkNames {
    private static final Pattern TARGET = Pattern.compile(
            "(?:\\[(?<v6>[^]]+)]|(?<host>[^:]+)):(?<port>[A-Za-z0-9-]+)(?:/(?<protocol>tcp|udp|sctp))?");
    private static final Pattern SERVICE =
            Pattern.compile("(?<name>[^.]+)(?:\\.(?<namespace>[^.]+)(?:\\.svc(?:\\.cluster\\.local)?)?)?");
    private static final int PORT_MAX = 65535;
    private static final String FORMS = "SERVICE[.NAMESPACE]:PORT, [NAMESPACE/]POD:PORT, NODE:NODEPORT or IP:PORT, for"
            + " UDP or SCTP with /udp or /sctp";

    private final ClusterState cluster;

    WalkNames(ClusterState cluster) {
        this.cluster = cluster;
    }

    /** A Pod, a node, or the client outside; of equal names the client's comes first, then a node's, then a Pod's. */
    Host sender(String name) throws CommandException {
        if (name.equals(cluster.outside().name())) {
            return cluster.outside();
        }
        Host node = cluster.nodes().get(name);
        if (node != null) {
            return node;
        }
        String pod = podName(name);
        PodView view = cluster.pods().get(pod);
        if (view == null) {
            throw UnknownName.of("FROM", name, cluster.senders());
        }
        return reachable(pod, view);
    }

    /** A port of a Service, a Pod, a node or an address. A Service comes before a Pod or node of its name. */
    WalkTarget target(String text) throws CommandException {
        Matcher parts = TARGET.matcher(text);
        if (!parts.matches()) {
            throw withoutPort(text);
        }
        String port = parts.group("port");
        Optional<Protocol> protocol = Optional.ofNullable(parts.group("protocol"))
                .map(each -> Protocol.valueOf(each.toUpperCase(Locale.ROOT)));
        Optional<IpAddress> address = literal(parts.group("v6"), parts.group("host"));
        if (address.isPresent()) {
            return atAddress(text, address.get(), port, protocol);
        }
        String name = parts.group("host");
        if (name == null) {
            throw wrong("TO", text, FORMS);
        }
        Optional<NamespacedName> service = serviceName(name).filter(cluster.services()::contains);
        if (service.isPresent()) {
            return service(text, service.get(), port, protocol);
        }
        Host node = cluster.nodes().get(name);
        if (node != null) {
            return new WalkTarget("node " + name, node.addresses().get(0), number(text, port), or(protocol));
        }
        PodView pod = cluster.pods().get(podName(name));
        if (pod == null) {
            throw CommandException.wrongUsage(List.of("TO: \"" + text + "\" (expected: " + FORMS
                    + "; no Service, Pod or node has this name)" + NearNames.hint(name, receivers())));
        }
        Host host = reachable(podName(name), pod);
        Integer named = pod.ports().get(port);
        return new WalkTarget(
                "pod " + podName(name),
                host.addresses().get(0),
                named == null ? number(text, port) : named,
                or(protocol));
    }

    /** The error for a name without a port, or with a bad one. */
    private CommandException withoutPort(String text) {
        if (!receivers().contains(text)) {
            return wrong("TO", text, FORMS);
        }
        Optional<ServicePort> port = cluster.snapshot().services().values().stream()
                .filter(each -> serviceName(text).equals(Optional.of(each.name().service())))
                .findFirst();
        String example =
                text + ":" + port.map(each -> String.valueOf(each.port())).orElse("8080");
        return wrong("TO", text, "a port, too, such as " + example);
    }

    /** Names that may stand before a port. */
    private Set<String> receivers() {
        Set<String> names = new TreeSet<>(cluster.senders());
        names.remove(cluster.outside().name());
        cluster.services()
                .forEach(each -> names.add(
                        each.namespace().equals("default") ? each.name() : each.name() + "." + each.namespace()));
        return names;
    }

    private WalkTarget atAddress(String text, IpAddress address, String port, Optional<Protocol> protocol)
            throws CommandException {
        String who = cluster.at(address).map(host -> " (" + host.name() + ")").orElse("");
        return new WalkTarget("address " + address + who, address, number(text, port), or(protocol));
    }

    private WalkTarget service(String text, NamespacedName name, String port, Optional<Protocol> protocol)
            throws CommandException {
        List<ServicePort> ports = cluster.snapshot().services().values().stream()
                .filter(each -> each.name().service().equals(name))
                .filter(each -> !each.clusterIps().isEmpty())
                .toList();
        if (ports.isEmpty()) {
            throw wrong("TO", text, "a Service with a cluster IP; for one without, name a Pod");
        }
        for (ServicePort each : ports) {
            boolean matches = each.name().port().equals(port) || port.equals(String.valueOf(each.port()));
            if (matches && protocol.orElse(each.protocol()) == each.protocol()) {
                return new WalkTarget("Service " + name, each.clusterIps().get(0), each.port(), each.protocol());
            }
        }
        if (!isNumber(port)) {
            List<String> names = ports.stream()
                    .map(each -> each.name().port())
                    .filter(each -> !each.isEmpty())
                    .toList();
            throw wrong("TO", text, "a port, 1 to " + PORT_MAX + (names.isEmpty() ? "" : ", or one of " + names));
        }
        return new WalkTarget(
                "Service " + name + ", which has no such port",
                ports.get(0).clusterIps().get(0),
                number(text, port),
                or(protocol));
    }

    private Host reachable(String name, PodView pod) throws CommandException {
        if (pod.node().isEmpty() || pod.addresses().isEmpty()) {
            throw CommandException.failed(
                    "pod " + name + " has no address yet (expected: a pod that runs; see 'nodepath" + " status')");
        }
        return cluster.host(name, pod);
    }

    private static Optional<IpAddress> literal(@Nullable String bracketed, @Nullable String host) {
        try {
            return Optional.of(IpAddress.parse(bracketed == null ? String.valueOf(host) : bracketed));
        } catch (IllegalArgumentException e) {
            return Optional.empty();
        }
    }

    /**
     * As in the cluster's DNS: {@code web}, {@code web.shop}, {@code web.shop.svc},
     * {@code web.shop.svc.cluster.local}.
     */
    private static Optional<NamespacedName> serviceName(String host) {
        Matcher name = SERVICE.matcher(host);
        return name.matches()
                ? Optional.of(new NamespacedName(
                        Optional.ofNullable(name.group("namespace")).orElse("default"), name.group("name")))
                : Optional.empty();
    }

    private static String podName(String name) {
        return name.startsWith("default/") ? name.substring("default/".length()) : name;
    }

    private static Protocol or(Optional<Protocol> protocol) {
        return protocol.orElse(Protocol.TCP);
    }

    private static int number(String text, String port) throws CommandException {
        if (!isNumber(port)) {
            throw wrong("TO", text, "a port, 1 to " + PORT_MAX);
        }
        return Integer.parseInt(port);
    }

    private static boolean isNumber(String port) {
        return port.matches("[0-9]{1,5}") && Integer.parseInt(port) >= 1 && Integer.parseInt(port) <= PORT_MAX;
    }

    private static CommandException wrong(String parameter, String was, String expected) {
        return CommandException.wrongUsage(List.of(parameter + ": \"" + was + "\" (expected: " + expected + ")"));
    }
}
