package dev.nodepath.controllers;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.nodepath.apiserver.ClusterApi;
import dev.nodepath.apiserver.Deletion;
import dev.nodepath.apiserver.ObjectRules;
import dev.nodepath.apiserver.resource.ObjectKey;
import dev.nodepath.apiserver.resource.Resource;
import dev.nodepath.apiserver.resource.Resources;
import dev.nodepath.apiserver.store.ObjectStore;
import dev.nodepath.controllers.object.ControllerLoop;
import dev.nodepath.controllers.object.Meta;
import dev.nodepath.controllers.object.Owners;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;

/**
 * A cluster without processes and networks: the API, all controllers and kubelets that pretend; stepped by its test.
 */
public final class TestCluster implements AutoCloseable {
    private static final int ROUNDS_MAX = 100_000;
    private static final int HISTORY_MAX = 1000;

    /** Settings with short times. */
    public static final ControllerSettings SETTINGS = new ControllerSettings(
            Duration.ofSeconds(4), Duration.ofSeconds(10), Duration.ofSeconds(3), Duration.ofHours(1), "PEM");

    private final SteppedClock clock = new SteppedClock();
    private final ClusterApi api = new ClusterApi(new ObjectStore(0, HISTORY_MAX), ObjectRules.NONE, clock);
    private final FailedReconciles failed = new FailedReconciles();
    private final FakeKubelet kubelet;
    private final ControllerLoop loop;

    /** A cluster with these Nodes. */
    public TestCluster(String... nodes) {
        for (String each : List.of("default", "kube-system", "kube-node-lease")) {
            addNamespace(each);
        }
        kubelet = new FakeKubelet(api, clock);
        for (String node : nodes) {
            kubelet.addNode(node, Map.of());
        }
        loop = Controllers.stopped(api, clock, SETTINGS);
    }

    /** Adds a Namespace as the API server completes it. */
    public void addNamespace(String name) {
        ObjectNode namespace = TestObjects.object(Resources.NAMESPACES, "", name);
        namespace.putObject("spec").putArray("finalizers").add("kubernetes");
        api.create(Resources.NAMESPACES, namespace);
    }

    public ClusterApi api() {
        return api;
    }

    public SteppedClock clock() {
        return clock;
    }

    public FakeKubelet kubelet() {
        return kubelet;
    }

    /** Lets controllers alone work until nothing is due. */
    public void control() {
        loop.runUntilIdle();
    }

    /** Lets controllers and kubelets work until all are idle. */
    public void settle() {
        loop.runUntilIdle();
        for (int round = 0; kubelet.step(); round++) {
            if (round > ROUNDS_MAX) {
                throw new AssertionError("the cluster does not come to rest");
            }
            loop.runUntilIdle();
        }
    }

    /** Lets time pass in small steps, while Nodes renew their Leases. */
    public void pass(Duration time) {
        Duration step = Duration.ofSeconds(1);
        for (Duration left = time; !left.isNegative() && !left.isZero(); left = left.minus(step)) {
            clock.advance(step);
            kubelet.renewLeases();
            settle();
        }
    }

    public ObjectNode create(Resource resource, ObjectNode object) {
        return api.create(resource, object);
    }

    public ObjectNode get(Resource resource, String name) {
        return api.get(resource, key(resource, name));
    }

    public void delete(Resource resource, String name) {
        api.delete(resource, key(resource, name), Deletion.DEFAULT);
    }

    public List<ObjectNode> list(Resource resource) {
        return api.list(resource, resource.namespaced() ? "default" : "").objects();
    }

    public List<String> names(Resource resource) {
        return list(resource).stream().map(Meta::name).toList();
    }

    public List<ObjectNode> podsOf(JsonNode owner) {
        return list(Resources.PODS).stream()
                .filter(pod -> Owners.isControlledBy(pod, owner))
                .toList();
    }

    public void change(Resource resource, String name, Consumer<ObjectNode> change) {
        api.modify(resource, key(resource, name), "", copy -> {
            change.accept(copy);
            return copy;
        });
    }

    /** Events about an object, as {@code reason: message}. */
    public List<String> events(String name) {
        return list(Resources.EVENTS).stream()
                .filter(event ->
                        event.path("involvedObject").path("name").asText().equals(name))
                .map(event -> event.path("reason").asText() + ": "
                        + event.path("message").asText())
                .toList();
    }

    /** Ends the cluster; fails if a controller has failed. */
    @Override
    public void close() {
        failed.close();
        loop.close();
        kubelet.close();
    }

    private static ObjectKey key(Resource resource, String name) {
        return new ObjectKey(resource.namespaced() ? "default" : "", name);
    }
}
