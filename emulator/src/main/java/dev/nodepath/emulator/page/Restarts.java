package dev.nodepath.emulator.page;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.nodepath.agent.options.UnknownName;
import dev.nodepath.apiserver.StatusException;
import dev.nodepath.apiserver.resource.ObjectKey;
import dev.nodepath.apiserver.resource.Resources;
import dev.nodepath.apiserver.store.ChangeEvent;
import dev.nodepath.apiserver.store.Subscription;
import dev.nodepath.controllers.object.Meta;
import dev.nodepath.controllers.object.Owners;
import dev.nodepath.controllers.object.PodState;
import dev.nodepath.emulator.cluster.Cluster;
import dev.nodepath.emulator.cluster.NaturalOrder;
import dev.nodepath.emulator.cluster.PodView;
import dev.nodepath.endpoints.NodeInfo;
import dev.nodepath.page.PageActions.RefusedException;
import java.io.IOException;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Restarts a Pod, an agent or a node, or brings it back after a kill. */
final class Restarts implements AutoCloseable {
    private static final Duration READY_MAX = Duration.ofSeconds(60);
    /** The most deleted Pods without a controller that can be brought back. */
    private static final int REMEMBERED_MAX = 200;

    private final Cluster cluster;
    private final TimeLine timeLine;
    private final Map<ObjectKey, ObjectNode> gone = new LinkedHashMap<>();
    private final Subscription subscription;

    Restarts(Cluster cluster, TimeLine timeLine) {
        this.cluster = cluster;
        this.timeLine = timeLine;
        this.subscription =
                cluster.api().subscribe(Resources.PODS, cluster.api().store().version(), this::remember);
    }

    private void remember(ChangeEvent change) {
        synchronized (gone) {
            if (change.type() != ChangeEvent.Type.DELETED) {
                gone.remove(change.key());
            } else if (Owners.controller(change.object()).isEmpty()) {
                gone.put(change.key(), change.object());
                if (gone.size() > REMEMBERED_MAX) {
                    gone.remove(gone.keySet().iterator().next());
                }
            }
        }
    }

    /**
     * Restarts one of {@code pod}, {@code agent} and {@code node}, by its name, and waits until it runs.
     *
     * @return a sentence about the running thing
     */
    String restart(JsonNode what) throws RefusedException, InterruptedException {
        try {
            if (what.has("pod")) {
                return pod(what.path("pod").asText());
            }
            if (what.has("agent")) {
                return agent(node(what.path("agent").asText()));
            }
            if (what.has("node")) {
                return power(node(what.path("node").asText()));
            }
        } catch (IOException e) {
            throw new RefusedException(500, String.valueOf(e.getMessage()));
        } catch (StatusException e) {
            throw new RefusedException(409, String.valueOf(e.getMessage()));
        }
        throw new RefusedException(400, "restart: " + what + " (expected: pod, agent or node with a name)");
    }

    private String agent(String node) throws RefusedException, IOException, InterruptedException {
        if (!cluster.agents().hasPower(node)) {
            throw new RefusedException(
                    409, node + " has no power (expected: a node that runs; restart the node instead of its agent)");
        }
        timeLine.tellAct(Act.RESTART_AGENT, node);
        cluster.switchTo(node, NodeActions.mode(cluster.agents().mode(node)));
        return "the agent of " + node + " has started and synced (mode "
                + cluster.agents().mode(node) + ")";
    }

    private String power(String node) throws IOException, InterruptedException {
        timeLine.tellAct(Act.RESTART_NODE, node);
        if (cluster.agents().hasPower(node)) {
            cluster.cutPower(node);
        }
        cluster.restorePower(node);
        return node + " has started, and its agent has synced; its Pods start anew";
    }

    private String node(String name) throws RefusedException {
        List<String> nodes =
                cluster.topology().nodes().stream().map(NodeInfo::name).toList();
        if (!nodes.contains(name)) {
            throw new RefusedException(
                    404, UnknownName.of("NODE", name, nodes).lines().get(0));
        }
        return name;
    }

    /** A Pod without a controller is made again here, with its name, on its node. */
    private String pod(String shown) throws RefusedException, IOException, InterruptedException {
        ObjectKey key = PodView.keyOf(shown);
        Optional<ObjectNode> runs = cluster.api().find(Resources.PODS, key);
        ObjectNode pod = runs.or(() -> ended(key))
                .orElseThrow(() -> new RefusedException(
                        404, UnknownName.of("POD", shown, names()).lines().get(0)));
        timeLine.tellAct(Act.RESTART_POD, PodView.shown(key));
        Optional<JsonNode> owner = Owners.controller(pod);
        refuseIfItCannotStart(pod, owner.isPresent());
        Set<String> before = pods(key.namespace()).map(Meta::uid).collect(Collectors.toSet());
        if (runs.isPresent()) {
            cluster.removePod(key);
        }
        if (owner.isEmpty()) {
            cluster.api().create(Resources.PODS, afresh(pod));
        }
        Predicate<ObjectNode> successor = each -> !before.contains(Meta.uid(each))
                && (owner.isPresent()
                        ? Owners.controller(each).equals(owner)
                        : ObjectKey.of(each).equals(key));
        Optional<ObjectNode> started = first(
                        successor.and(each -> PodView.of(each).ready() || PodState.isFinished(each)))
                .or(() -> pods(key.namespace()).filter(successor).findFirst());
        return told(PodView.shown(key), started.map(PodView::of));
    }

    /** The first such Pod that exists or will soon. A Pod that runs to its end becomes ready late or never. */
    private Optional<ObjectNode> first(Predicate<ObjectNode> wanted) throws InterruptedException {
        BlockingQueue<ObjectNode> found = new LinkedBlockingQueue<>();
        Subscription seen = cluster.api().subscribe(Resources.PODS, change -> {
            if (change.type() != ChangeEvent.Type.DELETED && wanted.test(change.object())) {
                found.add(change.object());
            }
        });
        try {
            return Optional.ofNullable(found.poll(READY_MAX.toSeconds(), TimeUnit.SECONDS));
        } finally {
            seen.close();
        }
    }

    private void refuseIfItCannotStart(ObjectNode pod, boolean owned) throws RefusedException {
        String node = pod.at("/spec/nodeName").asText();
        if (owned && Meta.isTerminating(pod)) {
            throw new RefusedException(
                    409, "the pod ends already, and its owner makes another (expected: one that runs)");
        }
        if (!owned && !node.isEmpty() && !cluster.agents().hasPower(node)) {
            throw new RefusedException(
                    409, "the pod's node " + node + " has no power (expected: restart the node before its pod)");
        }
    }

    private static String told(String name, Optional<PodView> successor) {
        if (successor.isEmpty()) {
            return "pod " + name + " has ended, and its owner has made no other one";
        }
        PodView pod = successor.get();
        String now = PodView.shown(pod.key());
        return "pod " + now + " is " + (pod.ready() ? "ready" : "there, but not ready yet")
                + (pod.node().isEmpty() ? "" : " on " + pod.node())
                + (now.equals(name) ? "" : ", in place of " + name);
    }

    private Stream<ObjectNode> pods(String namespace) {
        return cluster.api().list(Resources.PODS, namespace).objects().stream();
    }

    private Optional<ObjectNode> ended(ObjectKey key) {
        synchronized (gone) {
            return Optional.ofNullable(gone.get(key));
        }
    }

    private Set<String> names() {
        Set<String> names = new TreeSet<>(NaturalOrder.NAMES);
        pods("").map(ObjectKey::of).map(PodView::shown).forEach(names::add);
        synchronized (gone) {
            gone.keySet().stream().map(PodView::shown).forEach(names::add);
        }
        return names;
    }

    /** A Pod as a person might have written it, without the fields that the cluster has added. */
    private static ObjectNode afresh(ObjectNode pod) {
        ObjectNode made = pod.deepCopy();
        made.remove("status");
        made.withObjectProperty("metadata").retain("name", "namespace", "labels", "annotations");
        made.withObjectProperty("spec").remove("ephemeralContainers");
        return made;
    }

    @Override
    public void close() {
        subscription.close();
    }
}
