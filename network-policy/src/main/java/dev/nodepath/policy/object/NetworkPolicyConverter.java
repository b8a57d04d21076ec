package dev.nodepath.policy.object;

import dev.nodepath.endpoints.NamespacedName;
import dev.nodepath.endpoints.Protocol;
import dev.nodepath.endpoints.source.Fields;
import dev.nodepath.endpoints.source.PaddedAddress;
import dev.nodepath.linux.address.Cidr;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.regex.Pattern;

/**
 * Reads a NetworkPolicy, with the defaults that an API server writes. An unusable part allows nothing: a list without
 * usable entries is not read as an empty one, which would allow everything.
 */
public final class NetworkPolicyConverter {
    /** A port's name (RFC 6335), as Kubernetes requires. */
    private static final Pattern PORT_NAME = Pattern.compile("(?=.*[a-z])[a-z0-9](?:[a-z0-9-]{0,13}[a-z0-9])?");

    private static final Map<String, Direction> TYPES =
            Map.of("Ingress", Direction.INGRESS, "Egress", Direction.EGRESS);

    private NetworkPolicyConverter() {}

    /** The policy; none if its subjects cannot be read. */
    public static List<NetworkPolicy> convert(NamespacedName name, Fields policy) {
        Fields spec = policy.object("spec");
        Optional<LabelSelector> subjects = LabelSelector.read(spec, "podSelector");
        if (subjects.isEmpty()) {
            return List.of();
        }
        Map<Direction, List<PolicyRule>> rules = new EnumMap<>(Direction.class);
        for (String type : types(spec)) {
            Direction direction = TYPES.get(type);
            if (direction == null) {
                spec.problem("policyTypes", type, "Ingress or Egress");
            } else {
                rules.put(direction, rules(name, spec, direction));
            }
        }
        return List.of(new NetworkPolicy(name, subjects.get(), rules));
    }

    /** Without types a policy is for ingress, and for egress if it has an egress rule. */
    private static List<String> types(Fields spec) {
        List<String> types = spec.texts("policyTypes");
        if (!types.isEmpty()) {
            return types;
        }
        return spec.objects("egress").isEmpty() ? List.of("Ingress") : List.of("Ingress", "Egress");
    }

    private static List<PolicyRule> rules(NamespacedName policy, Fields spec, Direction direction) {
        String peers = direction == Direction.INGRESS ? "from" : "to";
        List<PolicyRule> rules = new ArrayList<>();
        int number = 0;
        for (Fields rule : spec.objects(direction.lowerCase())) {
            Optional<List<Peer>> ends = entries(rule, peers, peer -> peer(policy.namespace(), peer));
            Optional<List<PolicyPort>> ports = entries(rule, "ports", NetworkPolicyConverter::port);
            if (ends.isPresent() && ports.isPresent()) {
                rules.add(new PolicyRule(number, ends.get(), ports.get()));
            }
            number++;
        }
        long sizes = rules.stream().mapToLong(PolicyRule::size).sum();
        if (sizes > PolicyRule.SIZES_MAX) {
            // The pods stay isolated.
            spec.refuse(direction.lowerCase(), PolicyRule.tooMany(sizes));
            return List.of();
        }
        return rules;
    }

    /** The usable entries of a list; empty if it has entries but no usable one. */
    private static <T> Optional<List<T>> entries(Fields rule, String field, Function<Fields, Optional<T>> reader) {
        if (rule.has(field) && !rule.json(field).isArray()) {
            rule.problem(field, "a list");
            return Optional.empty();
        }
        List<T> read = new ArrayList<>();
        rule.objects(field).forEach(entry -> reader.apply(entry).ifPresent(read::add));
        return read.isEmpty() && !rule.json(field).isEmpty() ? Optional.empty() : Optional.of(read);
    }

    private static Optional<Peer> peer(String namespace, Fields peer) {
        boolean selects = peer.has("podSelector") || peer.has("namespaceSelector");
        if (selects == peer.has("ipBlock")) {
            peer.refuse("ipBlock", selects ? "given with a selector" : "missing (expected: it or a selector)");
            return Optional.empty();
        }
        if (!selects) {
            return block(peer.object("ipBlock"));
        }
        Optional<LabelSelector> namespaces = LabelSelector.read(peer, "namespaceSelector");
        Optional<LabelSelector> pods = LabelSelector.read(peer, "podSelector");
        if (namespaces.isEmpty() || pods.isEmpty()) {
            return Optional.empty();
        }
        Optional<String> own = peer.has("namespaceSelector") ? Optional.empty() : Optional.of(namespace);
        return Optional.of(new PodPeer(own, namespaces.get(), pods.get()));
    }

    /** An unreadable except makes the whole block unusable: without it the block would be larger. */
    private static Optional<Peer> block(Fields block) {
        List<Cidr> network = network(block, "cidr", block.text("cidr"));
        List<Cidr> excepts = new ArrayList<>();
        for (String text : block.texts("except")) {
            List<Cidr> except = network(block, "except", text);
            if (except.isEmpty()) {
                return Optional.empty();
            }
            excepts.addAll(except);
        }
        if (network.isEmpty()) {
            return Optional.empty();
        }
        excepts.removeIf(except -> except.family() != network.get(0).family());
        return Optional.of(new BlockPeer(network.get(0), excepts));
    }

    /** The network; none if it cannot be read. Kubernetes takes an IPv4-mapped network as one of IPv4. */
    static List<Cidr> network(Fields block, String field, String text) {
        try {
            return List.of(PaddedAddress.cidr(text).network().unmapped());
        } catch (IllegalArgumentException e) {
            block.problem(field, text, "a CIDR such as 10.244.0.0/24");
            return List.of();
        }
    }

    static boolean isPortName(String name) {
        return PORT_NAME.matcher(name).matches();
    }

    private static Optional<PolicyPort> port(Fields port) {
        String protocolName = port.has("protocol") ? port.text("protocol") : Protocol.TCP.name();
        for (Protocol protocol : Protocol.values()) {
            if (protocol.name().equals(protocolName)) {
                return port(port, protocol);
            }
        }
        port.problem("protocol", "TCP, UDP or SCTP");
        return Optional.empty();
    }

    private static Optional<PolicyPort> port(Fields port, Protocol protocol) {
        if (!port.has("port")) {
            if (port.has("endPort")) {
                port.problem("port", "a number beside endPort");
                return Optional.empty();
            }
            return Optional.of(PolicyPort.all(protocol));
        }
        if (port.json("port").isTextual()) {
            String name = port.text("port");
            if (!isPortName(name) || port.has("endPort")) {
                port.problem("port", name, "the name of a port, and no endPort");
                return Optional.empty();
            }
            return Optional.of(new PolicyPort(protocol, 0, 0, name));
        }
        int first = port.port("port");
        int last = port.number("endPort", first, PolicyPort.PORT_MAX, port.has("endPort") ? 0 : first);
        return first == 0 || last == 0 ? Optional.empty() : Optional.of(new PolicyPort(protocol, first, last, ""));
    }
}
