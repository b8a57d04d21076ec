package dev.nodepath.emulator.page;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.nodepath.apiserver.Deletion;
import dev.nodepath.apiserver.resource.ObjectKey;
import dev.nodepath.apiserver.resource.Resource;
import dev.nodepath.apiserver.resource.Resources;
import dev.nodepath.controllers.object.Owners;
import dev.nodepath.emulator.cluster.Cluster;
import dev.nodepath.emulator.cluster.PodView;
import dev.nodepath.emulator.traffic.Greeting;
import dev.nodepath.page.PageActions.RefusedException;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.Optional;

/** Changes of Pods that a reader may watch: readiness, a Pod's end, the size of a Deployment. */
final class ChangeActions {
    private static final Duration LIMIT = Duration.ofSeconds(2);
    private static final int REPLICAS_MAX = 50;

    private final Cluster cluster;
    private final TimeLine timeLine;

    ChangeActions(Cluster cluster, TimeLine timeLine) {
        this.cluster = cluster;
        this.timeLine = timeLine;
    }

    /** Makes a built-in server report that it is ready, or that it is not. */
    void ready(JsonNode what) throws RefusedException {
        PodView pod = pod(what);
        boolean ready = what.path("ready").asBoolean();
        int port = pod.ports().getOrDefault("http", 0);
        if (port == 0 || pod.addresses().isEmpty()) {
            throw new RefusedException(
                    409, "pod " + pod.name() + " has no port named http (expected: a server without an image)");
        }
        timeLine.tellAct(ready ? Act.SET_READY : Act.SET_NOT_READY, PodView.shown(pod.key()));
        try {
            InetSocketAddress address = new InetSocketAddress(pod.address().toInetAddress(), port);
            int status = cluster.podNetwork(pod.key())
                    .call(() -> Greeting.status(address, "POST", ready ? "/ready" : "/unready", LIMIT));
            if (status != 200) {
                throw new RefusedException(
                        409, "pod " + pod.name() + " did not take it (expected: a server without an image)");
            }
        } catch (IllegalArgumentException e) {
            throw new RefusedException(409, e.getMessage() + " (expected: a Pod that runs)");
        } catch (IOException e) {
            throw new RefusedException(500, "pod " + pod.name() + ": " + e.getMessage());
        }
    }

    /** Ends a Pod at once. The page lets a reader bring back a Pod that no controller makes again. */
    void kill(JsonNode what) throws RefusedException {
        ObjectKey key = pod(what).key();
        boolean owned =
                Owners.controller(cluster.api().get(Resources.PODS, key)).isPresent();
        timeLine.tellAct(owned ? Act.KILL_POD : Act.KILL_LONE_POD, PodView.shown(key));
        cluster.api().delete(Resources.PODS, key, Deletion.NOW);
    }

    /** Gives the Deployment of a Pod one Pod more or less. */
    void scale(JsonNode what) throws RefusedException {
        PodView pod = pod(what);
        int by = what.path("by").asInt();
        ObjectKey deployment = owner(Resources.PODS, pod.key(), "ReplicaSet")
                .flatMap(set -> owner(Resources.REPLICA_SETS, set, "Deployment"))
                .orElseThrow(() -> new RefusedException(
                        409, "pod " + pod.name() + " belongs to no Deployment (expected: one of a Deployment)"));
        cluster.api().modify(Resources.DEPLOYMENTS, deployment, "", object -> {
            ObjectNode spec = object.withObjectProperty("spec");
            int wanted =
                    Math.max(0, Math.min(REPLICAS_MAX, spec.path("replicas").asInt(1) + by));
            timeLine.tellAct(Act.SCALE, "Deployment " + deployment.name(), wanted);
            spec.put("replicas", wanted);
            return object;
        });
    }

    private PodView pod(JsonNode what) throws RefusedException {
        String name = what.path("pod").asText();
        return cluster.api()
                .find(Resources.PODS, PodView.keyOf(name))
                .map(PodView::of)
                .orElseThrow(() -> new RefusedException(404, "pod: \"" + name + "\" (expected: a Pod of the cluster)"));
    }

    private Optional<ObjectKey> owner(Resource resource, ObjectKey key, String kind) {
        for (JsonNode owner : cluster.api().get(resource, key).path("metadata").path("ownerReferences")) {
            if (owner.path("kind").asText().equals(kind)) {
                return Optional.of(
                        new ObjectKey(key.namespace(), owner.path("name").asText()));
            }
        }
        return Optional.empty();
    }
}
