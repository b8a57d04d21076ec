package dev.nodepath.controllers.endpoints;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.nodepath.apiserver.ClusterApi;
import dev.nodepath.apiserver.resource.ObjectKey;
import dev.nodepath.apiserver.resource.Resources;
import dev.nodepath.apiserver.store.ChangeEvent;
import dev.nodepath.controllers.object.Meta;
import dev.nodepath.controllers.queue.Controller;
import dev.nodepath.controllers.queue.KeyQueue;
import dev.nodepath.controllers.queue.Trigger;
import java.time.Clock;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Optional;

/**
 * Keeps the EndpointSlices of Services with a selector. Those of a Service that loses its selector stay as they are. A
 * change costs as much as the namespace has Pods and slices; it writes the slices that change, each with the time of
 * the change.
 */
public final class EndpointSliceController implements Controller {
    private static final String ZONE = "topology.kubernetes.io/zone";
    private static final ObjectKey ALL = new ObjectKey("", "");

    private final ClusterApi api;
    private final SliceWriter slices;
    private final ServiceIndex services = new ServiceIndex();
    private final TriggerTimes times;

    public EndpointSliceController(ClusterApi api, Clock clock) {
        this.api = api;
        this.slices = new SliceWriter(api, EndpointSliceBuilder.MANAGER);
        this.times = new TriggerTimes(clock);
    }

    @Override
    public String name() {
        return "endpointslice";
    }

    @Override
    public List<Trigger> triggers() {
        return List.of(
                new Trigger(Resources.SERVICES, event -> {
                    services.update(event);
                    return noted(List.of(event.key()));
                }),
                new Trigger(Resources.PODS, event -> noted(services.affected(event))),
                new Trigger(Resources.NODES, event -> isZoneChange(event) ? List.of(ALL) : List.of()),
                slices.trigger());
    }

    @Override
    public void reconcile(ObjectKey key, KeyQueue queue) {
        if (key.equals(ALL)) {
            api.list(Resources.SERVICES, "").objects().forEach(each -> queue.add(ObjectKey.of(each)));
            return;
        }
        Instant changed = times.take(key);
        Optional<ObjectNode> service = api.find(Resources.SERVICES, key);
        if (service.isEmpty()) {
            slices.of(key).forEach(slices::delete);
        } else if (ServiceShape.selects(service.get()) && !Meta.isTerminating(service.get())) {
            SlicePlan plan = plan(service.get());
            if (!plan.isEmpty()) {
                slices.apply(plan, key, times.unique(changed));
            }
        }
    }

    private SlicePlan plan(ObjectNode service) {
        List<ObjectNode> pods =
                api.list(Resources.PODS, Meta.namespace(service)).objects();
        return SlicePlan.of(
                group -> EndpointSliceBuilder.empty(service, group),
                EndpointSliceBuilder.endpoints(
                        service, pods, node -> api.find(Resources.NODES, new ObjectKey("", node))),
                slices.of(ObjectKey.of(service)));
    }

    private Collection<ObjectKey> noted(Collection<ObjectKey> keys) {
        keys.forEach(times::note);
        return keys;
    }

    private static boolean isZoneChange(ChangeEvent event) {
        return event.before()
                .filter(before -> Meta.labels(before)
                        .path(ZONE)
                        .equals(Meta.labels(event.object()).path(ZONE)))
                .isEmpty();
    }
}
