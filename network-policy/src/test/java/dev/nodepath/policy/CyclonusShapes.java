package dev.nodepath.policy;

import static org.assertj.core.api.Assertions.assertThat;

import dev.nodepath.endpoints.Protocol;
import dev.nodepath.linux.address.IpAddress;
import dev.nodepath.linux.address.IpFamily;
import dev.nodepath.policy.object.Direction;
import dev.nodepath.policy.object.PolicyChanges;
import dev.nodepath.policy.object.PolicyPacket;
import dev.nodepath.policy.object.PolicySnapshot;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Stream;

/**
 * The shapes of the cases that cyclonus makes. Each part of a policy is text for the API beside text that lists the
 * matching packets. So the passing packets follow from the second text alone.
 */
final class CyclonusShapes {
    private CyclonusShapes() {}

    /** Namespace and pod. Their addresses go by this order. The pods c are of another node. */
    private static final List<String> PODS_IN_ORDER =
            List.of("xa", "xb", "ya", "yb", "xc", "yc", "za", "zb", "zc", "xd", "wb");

    private static final String OUTSIDE = "outside";
    private static final String PODS = String.join(" ", PODS_IN_ORDER);
    private static final List<String> ATTEMPTED = List.of("TCP/80", "TCP/81", "UDP/53", "UDP/81", "SCTP/81");

    /** Text for the API, and the ends or the ports that it takes. */
    record Part(String json, Set<String> takes) {
        static Part of(String json, String takes) {
            return new Part(json, Set.of(takes.split(" ")));
        }
    }

    private static final List<Part> PEERS = List.of(
            Part.of("{podSelector: {}}", "xa xb xc xd"),
            Part.of("{podSelector: {matchLabels: {pod: 'c'}}}", "xc"),
            Part.of("{podSelector: " + expression("pod", "NotIn", "'a', 'c'") + "}", "xb xd"),
            Part.of("{namespaceSelector: {}}", PODS),
            Part.of("{namespaceSelector: {}, podSelector: {}}", PODS),
            Part.of("{namespaceSelector: {}, podSelector: {matchLabels: {pod: 'c'}}}", "xc yc zc"),
            Part.of("{namespaceSelector: {matchLabels: {ns: 'x'}}}", "xa xb xc xd"),
            Part.of("{namespaceSelector: {matchLabels: {ns: 'x'}}, podSelector: {}}", "xa xb xc xd"),
            Part.of("{namespaceSelector: {matchLabels: {ns: 'x'}}, podSelector: {matchLabels: {pod: 'c'}}}", "xc"),
            Part.of("{namespaceSelector: {matchExpressions: [{key: 'none', operator: 'Exists'}]}}", ""),
            Part.of("{ipBlock: {cidr: '10.244.1.4/30'}}, {ipBlock: {cidr: 'fd00:244:1::4/126'}}", "ya yb xc yc"),
            Part.of(
                    "{ipBlock: {cidr: '10.244.1.4/30', except: ['10.244.1.4/31']}},"
                            + " {ipBlock: {cidr: 'fd00:244:1::4/126', except: ['fd00:244:1::4/127']}}",
                    "xc yc"));

    private static final Part TCP_80 = Part.of("{protocol: 'TCP', port: 80}", "TCP/80");
    private static final Part TCP_81 = Part.of("{protocol: 'TCP', port: 81}", "TCP/81");
    private static final Part NAMED_TCP_81 = Part.of("{port: 'serve-81-tcp'}", "TCP/81");
    private static final Rule DNS = new Rule(List.of(), List.of(Part.of("{protocol: 'UDP', port: 53}", "UDP/53")));
    private static final Rule ANY = new Rule(List.of(), List.of());
    private static final Part ALL_OF_X = Part.of("{}", "xa xb xc xd");
    private static final Part A_OF_X = Part.of("{matchLabels: {pod: 'a'}}", "xa");
    private static final Part FROM =
            Part.of(both(expression("ns", "In", "'x', 'y'"), expression("pod", "In", "'b', 'c'")), "xb xc yb yc wb");
    private static final Part TO =
            Part.of(both(expression("ns", "In", "'y', 'z'"), expression("pod", "In", "'a', 'b'")), "ya yb za zb wb");
    private static final Policy BASE = new Policy("x/base", A_OF_X, Map.of())
            .with(Direction.INGRESS, new Rule(List.of(FROM), List.of(TCP_80)))
            .with(Direction.EGRESS, new Rule(List.of(TO), List.of(TCP_80)), DNS);

    private static String expression(String key, String operator, String values) {
        return "{matchExpressions: [{key: '%s', operator: '%s', values: [%s]}]}".formatted(key, operator, values);
    }

    private static String both(String namespaces, String pods) {
        return "{namespaceSelector: " + namespaces + ", podSelector: " + pods + "}";
    }

    /** A try to connect. */
    record Attempt(String from, String to, String port) {
        String end(boolean source) {
            return source ? from : to;
        }

        PolicyPacket packet(IpFamily family) {
            int slash = port.indexOf('/');
            int protocol = Protocol.valueOf(port.substring(0, slash)).number();
            return new PolicyPacket(
                    address(from, family), address(to, family), protocol, Integer.parseInt(port.substring(slash + 1)));
        }
    }

    private static final Map<IpFamily, Map<String, IpAddress>> ADDRESSES = Map.of(
            IpFamily.IPV4,
            addresses("10.244.1.", "192.0.2.2"),
            IpFamily.IPV6,
            addresses("fd00:244:1::", "2001:db8::2"));

    private static Map<String, IpAddress> addresses(String network, String outside) {
        Map<String, IpAddress> addresses = new HashMap<>(Map.of(OUTSIDE, IpAddress.parse(outside)));
        PODS_IN_ORDER.forEach(pod -> addresses.put(pod, IpAddress.parse(network + (addresses.size() + 1))));
        return addresses;
    }

    private static IpAddress address(String end, IpFamily family) {
        return Objects.requireNonNull(
                Objects.requireNonNull(ADDRESSES.get(family)).get(end));
    }

    /** A rule; no part of a kind takes all. */
    record Rule(List<Part> peers, List<Part> ports) {
        boolean takes(Attempt attempt, String other) {
            // Only a pod has ports with names.
            return takes(peers, other, false) && takes(ports, attempt.port, attempt.to.equals(OUTSIDE));
        }

        private static boolean takes(List<Part> parts, String word, boolean unnamed) {
            boolean takes = parts.isEmpty();
            for (Part part : parts) {
                takes |= part.takes.contains(word) && !(unnamed && part.json.contains("serve"));
            }
            return takes;
        }

        String json(Direction direction) {
            return "{" + (direction == Direction.INGRESS ? "from" : "to") + ": " + list(peers) + ", ports: "
                    + list(ports) + "}";
        }

        private static String list(List<Part> parts) {
            return parts.stream().map(Part::json).toList().toString();
        }
    }

    /** A policy for the pods of its namespace that its subjects take. */
    record Policy(String name, Part subjects, Map<Direction, List<Rule>> rules) {
        Policy with(Direction direction, Rule... others) {
            Map<Direction, List<Rule>> changed = new HashMap<>(rules);
            changed.put(direction, List.of(others));
            return new Policy(name, subjects, changed);
        }

        String json() {
            StringBuilder json = new StringBuilder("{podSelector: " + subjects.json);
            List<String> types = new ArrayList<>();
            rules.forEach((direction, each) -> {
                types.add(direction == Direction.INGRESS ? "'Ingress'" : "'Egress'");
                json.append(", ").append(direction.lowerCase()).append(": ");
                json.append(each.stream().map(rule -> rule.json(direction)).toList());
            });
            return json.append(", policyTypes: ").append(types).append("}").toString();
        }
    }

    /** The objects at one time: labels of namespaces and of pods, and policies. */
    record World(Map<String, String> namespaces, Map<String, String> pods, List<Policy> policies) {
        static World of(Policy... policies) {
            World world = new World(Map.of(), Map.of(), List.of(policies));
            for (String namespace : List.of("x", "y", "z")) {
                world = world.namespace(namespace, "{ns: '" + namespace + "'}");
                for (String pod : List.of("a", "b", "c")) {
                    world = world.pod(namespace + pod, "{pod: '" + pod + "'}");
                }
            }
            return world;
        }

        World namespace(String name, String labels) {
            return new World(plus(namespaces, name, labels), pods, policies);
        }

        World pod(String name, String labels) {
            return new World(namespaces, plus(pods, name, labels), policies);
        }

        private static Map<String, String> plus(Map<String, String> map, String key, String value) {
            Map<String, String> changed = new HashMap<>(map);
            changed.put(key, value);
            return changed;
        }

        TestObjects objects() {
            TestObjects objects = TestObjects.NONE;
            for (Map.Entry<String, String> namespace : namespaces.entrySet()) {
                objects = objects.namespace(namespace.getKey(), namespace.getValue());
            }
            for (Map.Entry<String, String> pod : pods.entrySet()) {
                String name = pod.getKey();
                objects = objects.pod(
                        name.charAt(0) + "/" + name.charAt(1),
                        pod.getValue(),
                        "{nodeName: '" + (name.endsWith("c") ? "n2" : "n1") + "', containers: [{ports: ["
                                + "{name: 'serve-81-tcp', containerPort: 81},"
                                + " {name: 'serve-81-udp', containerPort: 81, protocol: 'UDP'}]}]}",
                        "{podIPs: [{ip: '" + address(name, IpFamily.IPV4) + "'}, {ip: '" + address(name, IpFamily.IPV6)
                                + "'}]}");
            }
            for (Policy policy : policies) {
                objects = objects.policy(policy.name, policy.json());
            }
            assertThat(objects.firstProblem()).isEmpty();
            return objects;
        }

        List<Attempt> attempts() {
            List<String> ends =
                    Stream.concat(pods.keySet().stream(), Stream.of(OUTSIDE)).toList();
            return ends.stream()
                    .flatMap(from ->
                            ends.stream().flatMap(to -> ATTEMPTED.stream().map(port -> new Attempt(from, to, port))))
                    .toList();
        }

        boolean passes(Attempt attempt) {
            return attempt.from.equals(attempt.to)
                    || (passes(Direction.EGRESS, attempt) && passes(Direction.INGRESS, attempt));
        }

        private boolean passes(Direction direction, Attempt attempt) {
            boolean egress = direction == Direction.EGRESS;
            boolean isolated = false;
            for (Policy policy : policies) {
                List<Rule> rules = policy.rules.get(direction);
                if (rules != null && policy.subjects.takes.contains(attempt.end(egress))) {
                    isolated = true;
                    for (Rule rule : rules) {
                        if (rule.takes(attempt, attempt.end(!egress))) {
                            return true;
                        }
                    }
                }
            }
            return !isolated;
        }
    }

    /** Successive worlds. */
    record Shape(String name, List<World> worlds) {
        static Shape of(String name, Policy... policies) {
            return new Shape(name, List.of(World.of(policies)));
        }

        @Override
        public String toString() {
            return name;
        }
    }

    /** All of them. */
    static List<Shape> all() {
        List<Shape> shapes = new ArrayList<>();
        for (Direction direction : Direction.values()) {
            String name = direction.lowerCase();
            for (List<Part> peers : noneOneOrTwo(PEERS)) {
                Rule rule = new Rule(peers, List.of(TCP_80));
                shapes.add(Shape.of(name + " of peers " + numbers(peers, PEERS), with(direction, rule)));
            }
            List<Part> ports = ports();
            for (List<Part> some : noneOneOrTwo(ports)) {
                Rule rule = new Rule(List.of(direction == Direction.INGRESS ? FROM : TO), some);
                shapes.add(Shape.of(name + " at ports " + numbers(some, ports), with(direction, rule)));
            }
            shapes.add(Shape.of(name + " for nobody", BASE.with(direction)));
            shapes.add(Shape.of(name + " for all", BASE.with(direction, ANY)));
            shapes.add(Shape.of(
                    name + " of two rules",
                    BASE.with(
                            direction,
                            new Rule(List.of(PEERS.get(0)), List.of(TCP_81)),
                            new Rule(List.of(PEERS.get(5)), List.of(TCP_80)))));
        }
        shapes.addAll(subjects());
        shapes.addAll(conflicts());
        shapes.addAll(ofKubernetes());
        shapes.addAll(changes());
        return shapes;
    }

    private static Policy with(Direction direction, Rule rule) {
        return direction == Direction.INGRESS ? BASE.with(direction, rule) : BASE.with(direction, rule, DNS);
    }

    private static List<List<Part>> noneOneOrTwo(List<Part> parts) {
        List<List<Part>> chosen = new ArrayList<>(List.of(List.of()));
        for (int i = 0; i < parts.size(); i++) {
            chosen.add(List.of(parts.get(i)));
            for (int j = 0; j < i; j++) {
                chosen.add(List.of(parts.get(j), parts.get(i)));
            }
        }
        return chosen;
    }

    private static List<Integer> numbers(List<Part> some, List<Part> all) {
        return some.stream().map(all::indexOf).toList();
    }

    private static List<Part> ports() {
        List<Part> ports = new ArrayList<>(List.of(
                NAMED_TCP_81,
                Part.of("{port: 'serve-nothing'}", ""),
                Part.of("{port: 80, endPort: 81}", "TCP/80 TCP/81"),
                Part.of("{}", "TCP/80 TCP/81")));
        for (String protocol : List.of("TCP", "UDP", "SCTP")) {
            String json = "{protocol: '" + protocol + "'";
            String dns = protocol.equals("UDP") ? " UDP/53" : "";
            ports.add(Part.of(json + "}", protocol + "/80 " + protocol + "/81" + dns));
            ports.add(Part.of(json + ", port: 81}", protocol + "/81"));
        }
        ports.add(Part.of("{protocol: 'SCTP', port: 'serve-81-tcp'}", ""));
        return ports;
    }

    private static List<Shape> subjects() {
        return List.of(
                Shape.of("subjects in x", BASE),
                Shape.of("subjects in y", new Policy("y/base", Part.of(A_OF_X.json, "ya"), BASE.rules)),
                Shape.of("subjects in z", new Policy("z/base", Part.of(A_OF_X.json, "za"), BASE.rules)),
                Shape.of("all subjects", new Policy("x/base", ALL_OF_X, BASE.rules)),
                Shape.of("subjects a and b", of("x/base", expression("pod", "In", "'a', 'b'"), "xa xb")),
                Shape.of("no subjects", of("x/base", "{matchLabels: {pod: 'nobody'}}", "")));
    }

    private static Policy of(String name, String selector, String takes) {
        return new Policy(name, Part.of(selector, takes), BASE.rules);
    }

    /** Policies that contradict each other at a client x/b or at a server y/c. */
    private static List<Shape> conflicts() {
        Part every = Part.of("{ipBlock: {cidr: '0.0.0.0/0'}}, {ipBlock: {cidr: '::/0'}}", PODS + " " + OUTSIDE);
        Part noAddress = Part.of("{ipBlock: {cidr: '0.0.0.0/31'}}", "");
        List<Rule> nobody = List.of();
        List<Rule> all = List.of(ANY);
        List<Rule> allPods = List.of(new Rule(List.of(PEERS.get(3)), List.of()));
        List<Rule> noPods = List.of(new Rule(List.of(PEERS.get(9)), List.of()));
        List<Rule> allAddresses = List.of(new Rule(List.of(every), List.of()));
        List<Rule> noAddresses = List.of(new Rule(List.of(noAddress), List.of()));
        List<Shape> shapes = new ArrayList<>();
        for (List<List<Rule>> side : List.of(
                List.of(nobody, all),
                List.of(nobody, allPods),
                List.of(nobody, allAddresses),
                List.of(noAddresses, allPods),
                List.of(noPods, allAddresses),
                List.of(noAddresses),
                List.of(noPods))) {
            for (Direction direction : Direction.values()) {
                List<Policy> policies = new ArrayList<>();
                side.forEach(rules -> policies.add(conflicting(policies.size(), direction, rules)));
                String name = "conflict " + shapes.size() / 2 + " of " + direction.lowerCase();
                shapes.add(Shape.of(name, policies.toArray(Policy[]::new)));
            }
        }
        shapes.add(Shape.of(
                "conflict of a client that may not",
                conflicting(0, Direction.EGRESS, nobody),
                conflicting(1, Direction.INGRESS, all)));
        shapes.add(Shape.of(
                "conflict of a server that may not",
                conflicting(0, Direction.EGRESS, all),
                conflicting(1, Direction.INGRESS, nobody)));
        return shapes;
    }

    private static Policy conflicting(int number, Direction direction, List<Rule> rules) {
        return direction == Direction.INGRESS
                ? new Policy("y/p" + number, Part.of("{matchLabels: {pod: 'c'}}", "yc"), Map.of(direction, rules))
                : new Policy("x/p" + number, Part.of("{matchLabels: {pod: 'b'}}", "xb"), Map.of(direction, rules));
    }

    private static Policy ingress(String name, Part subjects, Rule... rules) {
        return new Policy(name, subjects, Map.of(Direction.INGRESS, List.of(rules)));
    }

    private static Rule peer(String json, String takes, Part... ports) {
        return new Rule(List.of(Part.of(json, takes)), List.of(ports));
    }

    /** The cases of Kubernetes' own tests of NetworkPolicies. */
    private static List<Shape> ofKubernetes() {
        String y = "{namespaceSelector: {matchLabels: {ns: 'y'}}}";
        String updated = "{namespaceSelector: {matchLabels: {ns2: 'updated'}}}";
        String second = "{podSelector: {matchLabels: {pod: 'b', pod2: 'updated'}}}";
        String isolated = "{matchLabels: {target: 'isolated'}}";
        Policy deny = ingress("x/p", ALL_OF_X);
        Policy allow = ingress("x/p", ALL_OF_X, ANY);
        Policy at81 = ingress("x/p81", A_OF_X, peer(y, "ya yb yc", TCP_81));
        Policy at80 = ingress("x/p80", A_OF_X, peer(y, "ya yb yc", TCP_80));
        Part ya = Part.of(both("{matchLabels: {ns: 'y'}}", A_OF_X.json), "ya");
        Rule fromXa = peer(both("{matchLabels: {ns: 'x'}}", A_OF_X.json), "xa");
        return List.of(
                Shape.of("nobody may come", deny),
                Shape.of("DNS alone", deny.with(Direction.EGRESS, DNS)),
                Shape.of(
                        "others of other namespaces",
                        ingress(
                                "x/p",
                                A_OF_X,
                                peer(
                                        both(expression("ns", "NotIn", "'x'"), expression("pod", "In", "'b', 'c'")),
                                        "yb yc zb zc"))),
                new Shape("one policy on the other", List.of(World.of(at81), World.of(at81, at80))),
                Shape.of("all may come", allow),
                Shape.of("a port by name", ingress("x/p", ALL_OF_X, new Rule(List.of(), List.of(NAMED_TCP_81)))),
                new Shape("all, then nobody", List.of(World.of(allow), World.of(deny))),
                new Shape(
                        "a namespace gets a label",
                        List.of(
                                World.of(ingress("x/p", A_OF_X, peer(updated, ""))),
                                World.of(ingress("x/p", A_OF_X, peer(updated, "ya yb yc")))
                                        .namespace("y", "{ns: 'y', ns2: 'updated'}"))),
                new Shape(
                        "a client gets a label",
                        List.of(
                                World.of(ingress("x/p", A_OF_X, peer(second, ""))),
                                World.of(ingress("x/p", A_OF_X, peer(second, "xb")))
                                        .pod("xb", "{pod: 'b', pod2: 'updated'}"))),
                new Shape(
                        "a server gets a label",
                        List.of(
                                World.of(ingress("x/p", Part.of(isolated, ""))),
                                World.of(ingress("x/p", Part.of(isolated, "xa")))
                                        .pod("xa", "{target: 'isolated'}"))),
                Shape.of(
                        "both directions",
                        ingress("x/p", A_OF_X, peer("{podSelector: {matchLabels: {pod: 'b'}}}", "xb"))
                                .with(Direction.EGRESS, new Rule(List.of(), List.of(TCP_80)), DNS)),
                Shape.of(
                        "a client may reach one of two servers that expect it",
                        new Policy("x/p", A_OF_X, Map.of())
                                .with(Direction.EGRESS, new Rule(List.of(ya), List.of()), DNS),
                        ingress("y/a", Part.of(A_OF_X.json, "ya"), fromXa),
                        ingress("y/b", Part.of("{matchLabels: {pod: 'b'}}", "yb"), fromXa)),
                new Shape("nobody, then no policy", List.of(World.of(deny.with(Direction.EGRESS)), World.of())));
    }

    private static List<Shape> changes() {
        Part port = Part.of("{protocol: 'UDP', port: 'serve-81-udp'}", "UDP/81");
        String newNamespace = "{namespaceSelector: {matchLabels: {new: 'yes'}}}";
        String newPod = both(expression("ns", "In", "'y', 'z'"), "{matchLabels: {new: 'yes'}}");
        World base = World.of(BASE);
        World unlabelled = World.of(with(Direction.INGRESS, peer(newNamespace, "", TCP_80)));
        World strange = World.of(with(Direction.INGRESS, peer(newPod, "", TCP_80)));
        World named = World.of(ingress("x/p", ALL_OF_X, new Rule(List.of(), List.of(NAMED_TCP_81))));
        return List.of(
                new Shape("a policy comes and goes", List.of(base, World.of(), base)),
                new Shape(
                        "a policy changes",
                        List.of(base, World.of(with(Direction.INGRESS, new Rule(List.of(FROM), List.of(port)))))),
                new Shape(
                        "a namespace comes and goes",
                        List.of(base, base.namespace("w", "{ns: 'y'}").pod("wb", "{pod: 'b'}"), base)),
                new Shape(
                        "labels of a namespace come and go",
                        List.of(
                                unlabelled,
                                World.of(with(Direction.INGRESS, peer(newNamespace, "ya yb yc", TCP_80)))
                                        .namespace("y", "{ns: 'y', new: 'yes'}"),
                                unlabelled)),
                new Shape("a pod comes and goes", List.of(base, base.pod("xd", "{pod: 'd'}"), base)),
                new Shape(
                        "labels of a pod come and go",
                        List.of(
                                strange,
                                World.of(with(Direction.INGRESS, peer(newPod, "yb", TCP_80)))
                                        .pod("yb", "{pod: 'b', new: 'yes'}"),
                                strange)),
                new Shape(
                        "a namespace comes to a port by name",
                        List.of(named, named.namespace("w", "{ns: 'w'}").pod("wb", "{pod: 'b'}"), named)));
    }

    /** The differences between two snapshots. */
    static PolicyChanges changes(PolicySnapshot before, PolicySnapshot after) {
        return new PolicyChanges(
                differing(before.namespaces(), after.namespaces()),
                differing(before.pods(), after.pods()),
                differing(before.policies(), after.policies()));
    }

    private static <K> Set<K> differing(Map<K, ?> before, Map<K, ?> after) {
        Set<K> keys = new HashSet<>(before.keySet());
        keys.addAll(after.keySet());
        keys.removeIf(key -> Objects.equals(before.get(key), after.get(key)));
        return keys;
    }
}
