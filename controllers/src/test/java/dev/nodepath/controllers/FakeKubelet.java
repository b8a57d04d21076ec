package dev.nodepath.controllers;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.nodepath.apiserver.ClusterApi;
import dev.nodepath.apiserver.Deletion;
import dev.nodepath.apiserver.StatusException;
import dev.nodepath.apiserver.resource.ConditionList;
import dev.nodepath.apiserver.resource.ObjectKey;
import dev.nodepath.apiserver.resource.Resources;
import dev.nodepath.apiserver.store.Subscription;
import dev.nodepath.controllers.object.Meta;
import dev.nodepath.controllers.object.PodState;
import java.time.Instant;
import java.time.InstantSource;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * The kubelets of all Nodes: Pods run and are ready as soon as they are looked at, and end as soon as they are
 * deleted. A Pod with an image {@code broken} never gets ready. A Node that is cut off renews no Lease and hears
 * nothing.
 */
public final class FakeKubelet implements AutoCloseable {
    private static final Set<String> ENDED = Set.of("Succeeded", "Failed");

    private final ClusterApi api;
    private final InstantSource clock;
    private final Set<ObjectKey> changed = new LinkedHashSet<>();
    private final Set<String> cutOff = new HashSet<>();
    private final Map<ObjectKey, Boolean> readiness = new HashMap<>();
    private final AtomicInteger addresses = new AtomicInteger();
    private final Subscription subscription;

    public FakeKubelet(ClusterApi api, InstantSource clock) {
        this.api = api;
        this.clock = clock;
        this.subscription = api.subscribe(Resources.PODS, event -> {
            synchronized (changed) {
                changed.add(event.key());
            }
        });
    }

    /** Adds a Node that is ready, with its Lease. */
    public ObjectNode addNode(String name, Map<String, String> labels) {
        ObjectNode node = TestObjects.object(Resources.NODES, "", name);
        labels.forEach((key, value) -> Meta.label(node, key, value));
        Meta.label(node, "kubernetes.io/hostname", name);
        node.putObject("spec");
        ConditionList.set(node, "Ready", "True", "KubeletReady", "kubelet is posting ready status", clock.instant());
        ObjectNode status = ((ObjectNode) node.get("status")).deepCopy();
        ObjectNode created = api.create(Resources.NODES, node);
        api.modify(Resources.NODES, ObjectKey.of(created), "status", each -> each.set("status", status));
        renewLeases();
        return created;
    }

    /** Tells that every Node is alive that is not cut off. */
    public void renewLeases() {
        Instant now = clock.instant();
        for (ObjectNode node : api.list(Resources.NODES, "").objects()) {
            if (!cutOff.contains(Meta.name(node))) {
                renew(node, now);
            }
        }
    }

    /** Cuts a Node off from the API server, or ends that. */
    public void setCutOff(String node, boolean isCutOff) {
        if (isCutOff) {
            cutOff.add(node);
        } else {
            cutOff.remove(node);
            synchronized (changed) {
                api.list(Resources.PODS, "").objects().forEach(pod -> changed.add(ObjectKey.of(pod)));
            }
        }
    }

    /** Makes a Pod ready or unready. */
    public void setReady(ObjectKey pod, boolean ready) {
        readiness.put(pod, ready);
        setReadyCondition(pod, ready);
    }

    /** Says how ready a Pod will be once it runs. */
    public void setReadiness(ObjectKey pod, boolean ready) {
        readiness.put(pod, ready);
    }

    /** Handles the changes so far; tells whether there were any. */
    public boolean step() {
        Set<ObjectKey> batch;
        synchronized (changed) {
            batch = new LinkedHashSet<>(changed);
            changed.clear();
        }
        boolean worked = false;
        for (Iterator<ObjectKey> each = batch.iterator(); each.hasNext(); ) {
            worked |= handle(each.next());
        }
        return worked;
    }

    /** Handles one of the changes so far; tells whether there was any. */
    public boolean stepOne(Random random) {
        ObjectKey key;
        synchronized (changed) {
            if (changed.isEmpty()) {
                return false;
            }
            key = List.copyOf(changed).get(random.nextInt(changed.size()));
            changed.remove(key);
        }
        handle(key);
        return true;
    }

    @Override
    public void close() {
        subscription.close();
    }

    private void renew(ObjectNode node, Instant now) {
        ObjectKey key = new ObjectKey("kube-node-lease", Meta.name(node));
        if (api.find(Resources.LEASES, key).isEmpty()) {
            api.create(Resources.LEASES, TestObjects.object(Resources.LEASES, key.namespace(), key.name()));
        }
        api.modify(Resources.LEASES, key, "", lease -> {
            lease.withObjectProperty("spec").put("renewTime", now.toString()).put("holderIdentity", key.name());
            return lease;
        });
    }

    private boolean handle(ObjectKey key) {
        Optional<ObjectNode> pod = api.find(Resources.PODS, key);
        if (pod.isEmpty()
                || PodState.node(pod.get()).isEmpty()
                || cutOff.contains(PodState.node(pod.get()))
                || api.find(Resources.NODES, new ObjectKey("", PodState.node(pod.get())))
                        .isEmpty()) {
            return false;
        }
        try {
            return Meta.isTerminating(pod.get()) ? end(key) : run(key, pod.get());
        } catch (StatusException e) {
            if (e.code() != 404) {
                throw e;
            }
            return true;
        }
    }

    private boolean end(ObjectKey key) {
        readiness.remove(key);
        api.delete(Resources.PODS, key, Deletion.NOW);
        return true;
    }

    private boolean run(ObjectKey key, ObjectNode pod) {
        if (PodState.phase(pod).equals("Running") || ENDED.contains(PodState.phase(pod))) {
            return false;
        }
        int number = addresses.incrementAndGet();
        String ip = "10.244." + number / 250 + "." + (number % 250 + 1);
        api.modify(Resources.PODS, key, "status", copy -> {
            ObjectNode status = copy.withObjectProperty("status");
            status.put("phase", "Running").put("podIP", ip);
            ArrayNode ips = status.putArray("podIPs");
            ips.addObject().put("ip", ip);
            ips.addObject().put("ip", "fd00:10:244::" + Integer.toHexString(number));
            return copy;
        });
        setReadyCondition(key, readiness.getOrDefault(key, !isBroken(pod)));
        return true;
    }

    private void setReadyCondition(ObjectKey key, boolean ready) {
        api.modify(Resources.PODS, key, "status", copy -> {
            String status = ready ? "True" : "False";
            ConditionList.set(copy, "ContainersReady", status, "", "", clock.instant());
            ConditionList.set(copy, "Ready", status, "", "", clock.instant());
            return copy;
        });
    }

    private static boolean isBroken(ObjectNode pod) {
        List<String> images = pod.path("spec").path("containers").findValuesAsText("image");
        return images.contains("broken");
    }
}
