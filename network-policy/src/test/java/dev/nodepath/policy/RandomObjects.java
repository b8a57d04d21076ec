package dev.nodepath.policy;

import dev.nodepath.endpoints.NamespacedName;
import dev.nodepath.linux.address.IpAddress;
import dev.nodepath.linux.address.IpFamily;
import dev.nodepath.policy.BridgedPods.Host;
import dev.nodepath.policy.object.PolicyChanges;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/** The objects of {@link BridgedPods}, or pods that move too, which change step by step at random. */
public final class RandomObjects {
    private static final List<String> VALUES = List.of("red", "blue");
    private static final List<String> BLOCKS = List.of(
            "10.244.1.0/24",
            "10.244.1.2/31",
            "10.244.1.4/32",
            "192.0.2.0/24",
            "0.0.0.0/0",
            "fd00:244:1::/64",
            "fd00:244:1::4/126",
            "2001:db8::2/128",
            "::/0");

    /** The most addresses of a family that pods which move have. */
    static final int MOVING = 8;

    private final Random random;
    private final boolean moves;
    private TestObjects objects = TestObjects.NONE;

    /** The pods that move, by the last part of their addresses. */
    private final Map<Integer, String> holders = new HashMap<>();

    /** Some pods, and no policy yet. */
    public RandomObjects(long seed) {
        this(seed, false);
        for (Host host : Host.values()) {
            if (host.isPod()) {
                setPod(host, "Running");
            }
        }
        setNode();
    }

    private RandomObjects(long seed, boolean moves) {
        random = new Random(seed);
        this.moves = moves;
        for (String namespace : List.of("x", "y")) {
            objects = objects.namespace(namespace, labels());
        }
    }

    /** Pods of two nodes that come, go, and change addresses, families, ports and nodes. None is there yet. */
    static RandomObjects moving(long seed) {
        RandomObjects some = new RandomObjects(seed, true);
        some.setNode();
        return some;
    }

    /** The present objects. */
    public TestObjects objects() {
        return objects;
    }

    /** Makes one change. */
    public PolicyChanges step() {
        String namespace = pick(List.of("x", "y"));
        switch (random.nextInt(12)) {
            case 0 -> {
                objects = objects.namespace(namespace, labels());
                return new PolicyChanges(Set.of(namespace), Set.of(), Set.of());
            }
            case 1, 2 -> {
                if (moves) {
                    return move(namespace + "/" + random.nextInt(MOVING / 2));
                }
                Host host = pick(List.of(Host.XA, Host.XB, Host.YA, Host.YB));
                setPod(host, random.nextInt(4) == 0 ? "Succeeded" : "Running");
                return new PolicyChanges(Set.of(), Set.of(TestObjects.name(podName(host))), Set.of());
            }
            case 3 -> {
                setNode();
                return new PolicyChanges(Set.of(), Set.of(), Set.of(), Set.of(), Set.of(new NamespacedName("", "n1")));
            }
            case 4, 5, 6 -> {
                String name = "c" + random.nextInt(4);
                objects = objects.clusterPolicy(name, random.nextInt(4) == 0 ? "{tier: 'None'}" : clusterPolicy());
                return new PolicyChanges(Set.of(), Set.of(), Set.of(), Set.of(new NamespacedName("", name)), Set.of());
            }
            default -> {
                String name = namespace + "/p" + random.nextInt(3);
                // Subjects that cannot be read remove the policy.
                objects = objects.policy(name, random.nextInt(4) == 0 ? "{podSelector: 1}" : policy());
                return new PolicyChanges(Set.of(), Set.of(), Set.of(TestObjects.name(name)));
            }
        }
    }

    private void setPod(Host host, String phase) {
        String ports = "{name: 'web', containerPort: " + pick(BridgedPods.PORTS) + "}";
        objects = objects.pod(
                podName(host),
                labels(),
                "{nodeName: 'n1', containers: [{ports: [" + ports + "]}]}",
                "{phase: '" + phase + "', podIPs: [{ip: '" + host.address(IpFamily.IPV4) + "'}, {ip: '"
                        + host.address(IpFamily.IPV6) + "'}]}");
    }

    /** A pod that has the new address gets another one in the same step. */
    private PolicyChanges move(String pod) {
        Set<NamespacedName> changed = new HashSet<>();
        holders.values().remove(pod);
        String other = setMoving(pod, changed);
        if (other != null) {
            int free = IntStream.rangeClosed(1, MOVING + 1)
                    .filter(number -> !holders.containsKey(number))
                    .findFirst()
                    .orElseThrow();
            holders.put(free, other);
            setMoving(other, free, changed);
        }
        return new PolicyChanges(Set.of(), changed, Set.of());
    }

    private @Nullable String setMoving(String pod, Set<NamespacedName> changed) {
        int number = 1 + random.nextInt(MOVING);
        String other = holders.put(number, pod);
        setMoving(pod, number, changed);
        return other;
    }

    private void setMoving(String pod, int number, Set<NamespacedName> changed) {
        String ipv4 = "{ip: '" + address(number, IpFamily.IPV4) + "'}";
        String ipv6 = "{ip: '" + address(number, IpFamily.IPV6) + "'}";
        String ports = "[" + movingPort() + ", " + movingPort() + "]";
        objects = objects.pod(
                pod,
                labels(),
                "{nodeName: '" + pick(List.of("n1", "n2")) + "', hostNetwork: " + (random.nextInt(10) == 0)
                        + ", containers: [{ports: " + ports + "}], initContainers: [{restartPolicy: '"
                        + pick(List.of("Always", "")) + "', ports: [" + movingPort() + "]}]}",
                "{phase: '" + pick(List.of("Running", "Running", "Pending", "Failed")) + "', podIPs: ["
                        + pick(List.of(ipv4, ipv6, ipv4 + ", " + ipv6, ipv6 + ", " + ipv4, "")) + "]}");
        changed.add(TestObjects.name(pod));
    }

    private String movingPort() {
        return "{name: '" + pick(List.of("web", "other")) + "', containerPort: " + pick(List.of(75, 80, 81))
                + ", protocol: '" + pick(List.of("TCP", "UDP", "SCTP")) + "'}";
    }

    /** An address of a moving pod, from number 1 on. The node has the address before it. */
    static IpAddress address(int number, IpFamily family) {
        return IpAddress.parse((family == IpFamily.IPV4 ? "10.244.1." : "fd00:244:1::") + (1 + number));
    }

    private void setNode() {
        objects = objects.node(
                "n1",
                labels(),
                Host.NODE.address(IpFamily.IPV4).toString(),
                Host.NODE.address(IpFamily.IPV6).toString());
    }

    private String clusterPolicy() {
        return "{tier: '" + pick(List.of("Admin", "Admin", "Baseline")) + "', priority: " + random.nextInt(3)
                + ", subject: " + pods() + ", ingress: " + list(() -> clusterRule("from", this::pods)) + ", egress: "
                + list(() -> clusterRule("to", this::destination)) + "}";
    }

    /** A rule that names no peer cannot be read. */
    private String clusterRule(String field, Supplier<String> peer) {
        String ports = list(this::protocol);
        return "{action: '" + pick(List.of("Accept", "Deny", "Pass")) + "', " + field + ": " + list(peer)
                + (ports.equals("[]") ? "" : ", protocols: " + ports) + "}";
    }

    private String pods() {
        return random.nextBoolean()
                ? "{namespaces: " + selector() + "}"
                : "{pods: {namespaceSelector: " + selector() + ", podSelector: " + selector() + "}}";
    }

    private String destination() {
        return switch (random.nextInt(6)) {
            case 0 -> "{nodes: " + selector() + "}";
            case 1, 2 -> "{networks: ['" + pick(BLOCKS) + "', '" + pick(BLOCKS) + "']}";
            case 3 -> "{domainNames: ['example.org']}";
            default -> pods();
        };
    }

    private String protocol() {
        return pick(List.of(
                "{tcp: {destinationPort: {number: 80}}}",
                "{tcp: {destinationPort: {number: 81}}}",
                "{tcp: {destinationPort: {range: {start: 70, end: 80}}}}",
                "{destinationNamedPort: 'web'}",
                "{udp: {destinationPort: {number: 80}}}",
                "{sctp: {destinationPort: {number: 80}}}"));
    }

    private static String podName(Host host) {
        String name = host.name().toLowerCase(Locale.ROOT);
        return name.charAt(0) + "/" + name.charAt(1);
    }

    private String labels() {
        return random.nextInt(3) == 0 ? "{}" : "{color: '" + pick(VALUES) + "'}";
    }

    private String policy() {
        String types = pick(List.of(
                "", ", policyTypes: ['Ingress']", ", policyTypes: ['Egress']", ", policyTypes: ['Ingress', 'Egress']"));
        return "{podSelector: " + selector() + types + ", ingress: " + list(() -> rule("from")) + ", egress: "
                + list(() -> rule("to")) + "}";
    }

    private String rule(String peers) {
        return "{" + peers + ": " + list(this::peer) + ", ports: " + list(this::port) + "}";
    }

    private String peer() {
        return switch (random.nextInt(5)) {
            case 0 -> "{podSelector: " + selector() + "}";
            case 1 -> "{namespaceSelector: " + selector() + "}";
            case 2 -> "{namespaceSelector: " + selector() + ", podSelector: " + selector() + "}";
            case 3 -> "{ipBlock: {cidr: '" + pick(BLOCKS) + "'}}";
            default ->
                pick(List.of(
                        "{ipBlock: {cidr: '10.244.1.0/24', except: ['10.244.1.2/32', '10.244.1.4/31']}}",
                        "{ipBlock: {cidr: '::/0', except: ['fd00:244:1::2/127']}}"));
        };
    }

    private String port() {
        return pick(List.of(
                "{port: 80}",
                "{port: 81}",
                "{port: 'web'}",
                "{port: 70, endPort: 80}",
                "{protocol: 'TCP'}",
                "{protocol: 'UDP'}",
                "{protocol: 'SCTP', port: 80}"));
    }

    private String selector() {
        String value = pick(VALUES);
        return pick(List.of(
                "{}",
                "{matchLabels: {color: '" + value + "'}}",
                "{matchExpressions: [{key: 'color', operator: 'NotIn', values: ['" + value + "']}]}",
                "{matchExpressions: [{key: 'color', operator: 'Exists'}]}",
                "{matchExpressions: [{key: 'color', operator: 'DoesNotExist'}]}"));
    }

    private String list(Supplier<String> entry) {
        List<String> entries = new ArrayList<>();
        for (int count = random.nextInt(3); count > 0; count--) {
            entries.add(entry.get());
        }
        return entries.toString();
    }

    private <T> T pick(List<T> values) {
        return values.get(random.nextInt(values.size()));
    }
}
