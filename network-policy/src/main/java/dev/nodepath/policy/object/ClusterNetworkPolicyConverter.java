package dev.nodepath.policy.object;

import dev.nodepath.endpoints.NamespacedName;
import dev.nodepath.endpoints.Protocol;
import dev.nodepath.endpoints.source.Fields;
import dev.nodepath.linux.address.Cidr;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;

/**
 * Reads a ClusterNetworkPolicy. It fails closed as its API asks: if a part of a rule cannot be read, an accepting rule
 * matches nothing, and any other rule denies everything.
 */
public final class ClusterNetworkPolicyConverter {
    private static final int PRIORITY_MAX = 1000;
    private static final String NAMESPACES = "namespaces";
    private static final String PODS = "pods";
    private static final String NODES = "nodes";
    private static final String NETWORKS = "networks";
    private static final String DOMAIN_NAMES = "domainNames";
    private static final String DESTINATION = "destinationPort";
    private static final String NAMED = "destinationNamedPort";

    private ClusterNetworkPolicyConverter() {}

    /** The policy; none if its tier, its priority or its subject cannot be read. */
    public static List<ClusterNetworkPolicy> convert(NamespacedName name, Fields policy) {
        Fields spec = policy.object("spec");
        Optional<Tier> tier = oneOf(spec, "tier", Tier.values());
        int priority = spec.number("priority", 0, PRIORITY_MAX, -1);
        if (!spec.has("priority")) {
            spec.problem("priority", "0 to " + PRIORITY_MAX);
        }
        Optional<PodPeer> subjects = subjects(spec.object("subject"));
        if (tier.isEmpty() || priority < 0 || subjects.isEmpty()) {
            return List.of();
        }
        Map<Direction, List<ClusterRule>> rules = new EnumMap<>(Direction.class);
        for (Direction direction : Direction.values()) {
            rules.put(direction, rules(spec, direction));
        }
        return List.of(new ClusterNetworkPolicy(name, tier.get(), priority, subjects.get(), rules));
    }

    private static <T extends Enum<T>> Optional<T> oneOf(Fields parent, String field, T[] values) {
        List<String> words = new ArrayList<>();
        for (T value : values) {
            if (value.toString().equals(parent.text(field))) {
                return Optional.of(value);
            }
            words.add(value.toString());
        }
        parent.problem(field, "one of " + String.join(", ", words));
        return Optional.empty();
    }

    private static Optional<PodPeer> subjects(Fields subject) {
        String field = only(subject, List.of(NAMESPACES, PODS));
        return field.isEmpty() ? Optional.empty() : pods(subject, field);
    }

    /** The only field of an object, if it is one of these; else empty. */
    private static String only(Fields object, List<String> fields) {
        List<String> names = object.names();
        if (names.size() == 1 && fields.contains(names.get(0)) && object.has(names.get(0))) {
            return names.get(0);
        }
        String known = fields.size() == 1 ? fields.get(0) : "exactly one of " + String.join(", ", fields);
        object.refuse(fields.get(0), "among the fields " + names + " (expected: " + known + ")");
        return "";
    }

    private static Optional<PodPeer> pods(Fields parent, String field) {
        boolean all = field.equals(NAMESPACES);
        Fields within = parent.object(PODS);
        Optional<LabelSelector> namespaces =
                all ? LabelSelector.read(parent, NAMESPACES) : LabelSelector.read(within, "namespaceSelector");
        Optional<LabelSelector> pods =
                all ? Optional.of(new LabelSelector(List.of())) : LabelSelector.read(within, "podSelector");
        return namespaces.isPresent() && pods.isPresent()
                ? Optional.of(new PodPeer(Optional.empty(), namespaces.get(), pods.get()))
                : Optional.empty();
    }

    /** A rule beyond the limit counts as unreadable. */
    private static List<ClusterRule> rules(Fields spec, Direction direction) {
        List<ClusterRule> rules = new ArrayList<>();
        long sizes = 0;
        int number = 0;
        for (Fields fields : spec.objects(direction.lowerCase())) {
            Optional<ClusterRule> read = rule(fields, direction, number++);
            if (read.isEmpty()) {
                continue;
            }
            ClusterRule rule = read.get();
            long size = rule.matches().size();
            if (sizes + size <= PolicyRule.SIZES_MAX) {
                sizes += size;
                rules.add(rule);
            } else {
                spec.refuse(direction.lowerCase(), PolicyRule.tooMany(sizes + size));
                if (rule.action() != ClusterRule.Action.ACCEPT) {
                    rules.add(denyAll(rule.name(), rule.matches().number()));
                    break;
                }
            }
        }
        return rules;
    }

    private static Optional<ClusterRule> rule(Fields rule, Direction direction, int number) {
        Optional<ClusterRule.Action> action = oneOf(rule, "action", ClusterRule.Action.values());
        boolean accepts = action.equals(Optional.of(ClusterRule.Action.ACCEPT));
        Optional<List<Peer>> peers = direction == Direction.INGRESS
                ? entries(rule, "from", ClusterNetworkPolicyConverter::source)
                : entries(rule, "to", peer -> destination(peer, accepts));
        Optional<List<PolicyPort>> ports = rule.has("protocols")
                ? entries(rule, "protocols", ClusterNetworkPolicyConverter::ports)
                : Optional.of(List.of());
        String name = rule.text("name");
        if (action.isPresent() && peers.isPresent() && ports.isPresent()) {
            return Optional.of(new ClusterRule(name, action.get(), new PolicyRule(number, peers.get(), ports.get())));
        }
        return accepts ? Optional.empty() : Optional.of(denyAll(name, number));
    }

    private static ClusterRule denyAll(String name, int number) {
        return new ClusterRule(name, ClusterRule.Action.DENY, new PolicyRule(number, List.of(), List.of()));
    }

    /** The values of all entries in a list; empty without entries, or with an unreadable one. */
    private static <T> Optional<List<T>> entries(
            Fields rule, String field, Function<Fields, ? extends List<? extends T>> reader) {
        List<Fields> entries = rule.objects(field);
        if (entries.isEmpty() || entries.size() < rule.json(field).size()) {
            rule.problem(field, "a list of at least one object");
            return Optional.empty();
        }
        List<T> all = new ArrayList<>();
        boolean complete = true;
        for (Fields entry : entries) {
            List<? extends T> read = reader.apply(entry);
            complete &= !read.isEmpty();
            all.addAll(read);
        }
        return complete ? Optional.of(all) : Optional.empty();
    }

    private static List<Peer> source(Fields peer) {
        String field = only(peer, List.of(NAMESPACES, PODS));
        return field.isEmpty() ? List.of() : listOf(pods(peer, field));
    }

    private static List<Peer> listOf(Optional<? extends Peer> peer) {
        List<Peer> list = new ArrayList<>();
        peer.ifPresent(list::add);
        return list;
    }

    private static List<Peer> destination(Fields peer, boolean accepts) {
        String field = only(peer, List.of(NAMESPACES, PODS, NODES, NETWORKS, DOMAIN_NAMES));
        return switch (field) {
            case "" -> List.of();
            case NODES -> listOf(LabelSelector.read(peer, NODES).map(NodePeer::new));
            case NETWORKS -> networks(peer);
            case DOMAIN_NAMES -> {
                peer.refuse(DOMAIN_NAMES, "not enforced (expected: networks, nodes, namespaces or pods)");
                yield accepts ? List.of(new DomainPeer(peer.texts(DOMAIN_NAMES))) : List.of();
            }
            default -> listOf(pods(peer, field));
        };
    }

    private static List<Peer> networks(Fields peer) {
        List<Peer> blocks = new ArrayList<>();
        for (String text : peer.texts(NETWORKS)) {
            List<Cidr> network = NetworkPolicyConverter.network(peer, NETWORKS, text);
            if (network.isEmpty()) {
                return List.of();
            }
            blocks.add(new BlockPeer(network.get(0), List.of()));
        }
        return blocks;
    }

    private static List<PolicyPort> ports(Fields entry) {
        String field = only(entry, List.of("tcp", "udp", "sctp", NAMED));
        if (field.isEmpty()) {
            return List.of();
        }
        if (field.equals(NAMED)) {
            return named(entry);
        }
        for (Protocol protocol : Protocol.values()) {
            if (protocol.lowerCase().equals(field)) {
                return ports(entry.object(field), protocol);
            }
        }
        return List.of();
    }

    /** A name means the ports with this name of every protocol. */
    private static List<PolicyPort> named(Fields entry) {
        String name = entry.text(NAMED);
        if (!NetworkPolicyConverter.isPortName(name)) {
            entry.problem(NAMED, "the name of a port");
            return List.of();
        }
        List<PolicyPort> ports = new ArrayList<>();
        for (Protocol protocol : Protocol.values()) {
            ports.add(new PolicyPort(protocol, 0, 0, name));
        }
        return ports;
    }

    private static List<PolicyPort> ports(Fields match, Protocol protocol) {
        if (match.names().isEmpty()) {
            return List.of(PolicyPort.all(protocol));
        }
        if (only(match, List.of(DESTINATION)).isEmpty()) {
            return List.of();
        }
        Fields port = match.object(DESTINATION);
        return switch (only(port, List.of("number", "range"))) {
            case "number" -> {
                int number = port.port("number");
                yield range(protocol, number, number);
            }
            case "range" -> {
                int first = port.object("range").port("start");
                yield range(protocol, first, port.object("range").number("end", first, PolicyPort.PORT_MAX, 0));
            }
            default -> List.of();
        };
    }

    private static List<PolicyPort> range(Protocol protocol, int first, int last) {
        return first == 0 || last == 0 ? List.of() : List.of(new PolicyPort(protocol, first, last, ""));
    }
}
