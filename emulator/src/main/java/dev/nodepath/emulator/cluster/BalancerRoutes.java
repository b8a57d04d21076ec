package dev.nodepath.emulator.cluster;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.nodepath.apiserver.ClusterApi;
import dev.nodepath.apiserver.resource.Resource;
import dev.nodepath.apiserver.resource.Resources;
import dev.nodepath.apiserver.store.Subscription;
import dev.nodepath.controllers.endpoints.BalancerNode;
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

/** Routes the addresses of load balancers to nodes ({@link BalancerNode}). */
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
        this.nodes = List.copyOf(nodes);
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
        List<ObjectNode> near = api.list(Resources.NODES, "").objects().stream()
                .filter(node -> nodes.contains(Meta.name(node)))
                .toList();
        Map<String, String> wanted = BalancerNode.byAddress(
                api.list(Resources.SERVICES, "").objects(),
                near,
                api.list(Resources.ENDPOINT_SLICES, "").objects());
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

    @Override
    public void close() {
        subscriptions.forEach(Subscription::close);
        worker.shutdownNow();
    }
}
