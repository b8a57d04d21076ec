package dev.nodepath.emulator.page;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.nodepath.agent.options.CommandException;
import dev.nodepath.apiserver.ClusterPolicyDefinition;
import dev.nodepath.apiserver.resource.ObjectKey;
import dev.nodepath.apiserver.resource.Resource;
import dev.nodepath.apiserver.resource.Resources;
import dev.nodepath.emulator.cluster.Cluster;
import dev.nodepath.emulator.cluster.PodView;
import dev.nodepath.emulator.page.NodeFlow.Packet;
import dev.nodepath.emulator.walk.Host;
import dev.nodepath.emulator.walk.NamedWalk;
import dev.nodepath.emulator.walk.PacketStep;
import dev.nodepath.emulator.walk.RunningProxies;
import dev.nodepath.emulator.walk.Walk;
import dev.nodepath.endpoints.NodeInfo;
import dev.nodepath.endpoints.source.ManifestException;
import dev.nodepath.endpoints.source.ManifestObject;
import dev.nodepath.endpoints.source.ManifestReader;
import dev.nodepath.linux.KernelLinuxNet;
import dev.nodepath.linux.namespace.NetworkNamespace;
import dev.nodepath.linux.syscall.LinuxNetException;
import dev.nodepath.page.PageActions.RefusedException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Stream;

/** Sends a packet between names, and reports its way: the promise of the rules, and the observations. */
final class ProbeAction {
    private static final List<Resource> OBJECTS = List.of(
            Resources.NODES,
            Resources.PODS,
            Resources.SERVICES,
            Resources.ENDPOINT_SLICES,
            Resources.SERVICE_CIDRS,
            Resources.NETWORK_POLICIES,
            ClusterPolicyDefinition.RESOURCE,
            Resources.NAMESPACES);

    /** A proxy syncs at most once a second, and a sync takes less than that. */
    private static final Duration SYNC_MAX = Duration.ofSeconds(2);

    private static final int REPEATS_MAX = 2;

    private final Cluster cluster;
    private final KernelLinuxNet net;
    private final ProbedChanges changes;

    /** Reads the cluster whenever it is asked. */
    ProbeAction(Cluster cluster, KernelLinuxNet net, ProbedChanges changes) {
        this.cluster = cluster;
        this.net = net;
        this.changes = changes;
    }

    /**
     * Sends the packet; see {@link ProbeJson} for the answer. The nodes follow a change of Services, endpoints or
     * policies some time later, so a probe that disagrees during this time is sent again.
     */
    ObjectNode act(JsonNode what) throws RefusedException, InterruptedException {
        long sent = System.nanoTime();
        ObjectNode answer = send(what);
        for (int i = 0; i < REPEATS_MAX && differs(answer) && changes.awaitRest(SYNC_MAX, sent); i++) {
            sent = System.nanoTime();
            answer = send(what);
        }
        return answer;
    }

    private static boolean differs(ObjectNode answer) {
        return !answer.path("differences").isEmpty();
    }

    private ObjectNode send(JsonNode what) throws RefusedException {
        RunningProxies proxies = proxies();
        Walk walk = walk(proxies, what.path("from").asText(), what.path("to").asText());
        try {
            return send(proxies, walk);
        } catch (LinuxNetException e) {
            throw new RefusedException(500, "the packet was not sent: " + e.getMessage());
        }
    }

    /** The way that the rules promise now. */
    Walk walk(String from, String to) throws RefusedException {
        return walk(proxies(), from, to);
    }

    private Walk walk(RunningProxies proxies, String from, String to) throws RefusedException {
        try {
            return withPower(NamedWalk.walk(proxies, ManifestReader.check(objects()), from, to));
        } catch (CommandException e) {
            throw new RefusedException(400, String.valueOf(e.getMessage()));
        } catch (ManifestException e) {
            throw new RefusedException(500, "objects of the cluster: " + e.getMessage());
        }
    }

    private Walk withPower(Walk walk) throws RefusedException {
        String node = walk.from().node();
        if (!node.isEmpty() && !cluster.agents().hasPower(node)) {
            throw new RefusedException(409, "FROM: " + node + " has no power (expected: a sender that runs)");
        }
        return walk;
    }

    private RunningProxies proxies() throws RefusedException {
        if (cluster.agents().mode().equals("none")) {
            throw new RefusedException(409, "the cluster has no proxy now (expected: a mode)");
        }
        Map<String, String> modes = new TreeMap<>();
        Set<String> ended = new TreeSet<>();
        Set<String> cut = new TreeSet<>();
        for (NodeInfo node : cluster.topology().nodes()) {
            modes.put(node.name(), cluster.agents().mode(node.name()));
            if (!cluster.agents().isAlive(node.name())) {
                ended.add(node.name());
            }
            if (!cluster.agents().hasPower(node.name())) {
                cut.add(node.name());
            }
        }
        return RunningProxies.of(modes, ended, cluster.agents().keepsClientAddress())
                .without(cut);
    }

    private List<ManifestObject> objects() {
        ManifestObject.Origin origin =
                new ManifestObject.Origin(Path.of("cluster"), "cluster", new IdentityHashMap<>());
        List<ManifestObject> objects = new ArrayList<>();
        for (Resource resource : OBJECTS) {
            cluster.api().list(resource, "").objects().forEach(object -> {
                ObjectKey key = ObjectKey.of(object);
                objects.add(new ManifestObject(
                        resource.apiVersion(), resource.kind(), key.namespace(), key.name(), object, origin));
            });
        }
        return objects;
    }

    private ObjectNode send(RunningProxies proxies, Walk walk) throws LinuxNetException {
        try (WireCapture capture = WireCapture.open(cluster, net, walk);
                KernelTrace trace = KernelTrace.open(cluster, net, proxies, walk);
                NodeTracking nodes = NodeTracking.open(cluster, net)) {
            // Packets of other senders may have passed while these were being opened.
            Instant start = Instant.now();
            ProbeAnswer answer = ProbeSocket.ask(namespace(walk.from()), walk);
            capture.read();
            ProbeTracking tracking = new ProbeTracking(walk, nodes);
            List<Packet> carried = capture.packetsSince(start);
            List<NodeFlow> entries = tracking.entries(answer, carried);
            Set<Packet> forms = capture.forms(tracking.forms(answer, carried, entries));
            ProbeResult result = ProbeResult.of(walk, answer, entries, forms);
            return told(proxies, walk, result, trace.way(forms), capture.way(forms));
        }
    }

    private static ObjectNode told(
            RunningProxies proxies, Walk walk, ProbeResult result, KernelWay kernel, WireWay wire) {
        List<PacketStep> steps = steps(proxies, walk, result, kernel);
        KernelAgreement agreement = KernelAgreement.of(proxies, steps, kernel);
        ProbeJson json = ProbeJson.of(walk, result);
        WithoutAnswer.why(proxies, walk, result).ifPresent(json::why);
        WithoutAnswer.ofBefore(proxies, walk).ifPresent(json::rulesOfBefore);
        return json.steps(
                        steps,
                        WithoutAnswer.happened(steps, agreement, result),
                        agreement,
                        WireAgreement.of(carried(proxies, steps), wire, isAnswered(result)))
                .kernel(kernel)
                .wire(wire)
                .json();
    }

    /** The steps that links can carry: a sender gets no hardware address of a node without power. */
    private static List<PacketStep> carried(RunningProxies proxies, List<PacketStep> steps) {
        return steps.stream()
                .takeWhile(step -> !proxies.cut().contains(step.where()))
                .toList();
    }

    private static boolean isAnswered(ProbeResult result) {
        return result.answer().kind() == ProbeAnswer.Kind.ANSWERED;
    }

    /** The namespace of a sender's sockets. */
    NetworkNamespace namespace(Host from) {
        return switch (from.kind()) {
            case NODE -> cluster.node(from.node());
            case OUTSIDE -> cluster.client();
            case POD -> cluster.podNetwork(PodView.keyOf(from.name()));
        };
    }

    /**
     * The steps to the observed end. If no end fits, the steps to the end with the most support from the kernel's
     * rules; without an answer only silent ends count.
     */
    private static List<PacketStep> steps(RunningProxies proxies, Walk walk, ProbeResult result, KernelWay kernel) {
        Stream<Walk.End> ends = walk.ends().stream()
                .filter(each -> result.end()
                        .map(end -> each.equals(end) || (end.isSilent() && each.isSilent()))
                        .orElse(true));
        return ends.map(end -> PacketStep.of(walk, end))
                .min(Comparator.comparing(steps ->
                        KernelAgreement.of(proxies, steps, kernel).differences().size()))
                .orElseThrow();
    }
}
