package dev.nodepath.emulator.cluster;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.nodepath.apiserver.ClusterApi;
import dev.nodepath.apiserver.resource.ConditionList;
import dev.nodepath.apiserver.resource.Resource;
import dev.nodepath.apiserver.resource.Resources;
import dev.nodepath.apiserver.store.Subscription;
import dev.nodepath.controllers.balancer.BalancerRange;
import dev.nodepath.controllers.object.Meta;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BiConsumer;

/**
 * Leads the addresses of load balancers to nodes, as one that announces each address from one node: the first ready
 * one by name; with {@code externalTrafficPolicy: Local} the first with a ready endpoint.
 */
final class BalancerRoutes implements AutoCloseable {
    private static final List<Resource> FOLLOWED =
            List.of(Resources.SERVICES, Resources.ENDPOINT_SLICES, Resources.NODES);

    private final ClusterApi api;
    private final List<String> nodes;
    private final BiConsumer<String, Optional<String>> route;
    private final Map<String, String> present = new HashMap<>();
    private final AtomicBoolean due = new AtomicBoolean();
    private final ExecutorService worker = Executors.newSingleThreadExecutor(task -> {
        Thread thread = new Thread(task, "balancer-routes");
        thread.setDaemon(true);
        return thread;
    });
    private final List<Subscription> subscriptions = new ArrayList<>();

    /**
     * Routes of a cluster.
     *
     * @param nodes that may get them, by name
     * @param route leads an address to a node, or to none
     */
    BalancerRoutes(ClusterApi api, List<String> nodes, BiConsumer<String, Optional<String>> route) {
        this.api = api;
        this.nodes = nodes.stream().sorted().toList();
        this.route = route;
        FOLLOWED.forEach(each -> subscriptions.add(api.subscribe(each, event -> ask())));
    }

    private void ask() {
        if (due.compareAndSet(false, true)) {
            try {
                worker.execute(this::sync);
            } catch (RejectedExecutionException e) {
                due.set(false); // closed
            }
        }
    }

    private void sync() {
        due.set(false);
        Map<String, String> wanted = new HashMap<>();
        for (ObjectNode service : api.list(Resources.SERVICES, "").objects()) {
            for (JsonNode each : service.path("status").path("loadBalancer").path("ingress")) {
                String address = each.path("ip").asText();
                if (BalancerRange.contains(address)) {
                    node(service).ifPresent(node -> wanted.put(address, node));
                }
            }
        }
        for (String gone : List.copyOf(present.keySet())) {
            if (!wanted.containsKey(gone)) {
                route.accept(gone, Optional.empty());
                present.remove(gone);
            }
        }
        wanted.forEach((address, node) -> {
            if (!node.equals(present.put(address, node))) {
                route.accept(address, Optional.of(node));
            }
        });
    }

    private Optional<String> node(JsonNode service) {
        boolean local =
                service.path("spec").path("externalTrafficPolicy").asText().equals("Local");
        List<String> ready = api.list(Resources.NODES, "").objects().stream()
                .filter(node -> ConditionList.isTrue(node, "Ready"))
                .map(Meta::name)
                .toList();
        return nodes.stream()
                .filter(ready::contains)
                .filter(node -> !local || hasEndpoint(service, node))
                .findFirst();
    }

    private boolean hasEndpoint(JsonNode service, String node) {
        for (ObjectNode slice :
                api.list(Resources.ENDPOINT_SLICES, Meta.namespace(service)).objects()) {
            if (!Meta.labels(slice).path("kubernetes.io/service-name").asText().equals(Meta.name(service))) {
                continue;
            }
            for (JsonNode endpoint : slice.path("endpoints")) {
                if (endpoint.path("nodeName").asText().equals(node)
                        && endpoint.path("conditions").path("ready").asBoolean(true)) {
                    return true;
                }
            }
        }
        return false;
    }

    @Override
    public void close() {
        subscriptions.forEach(Subscription::close);
        worker.shutdownNow();
    }
}
