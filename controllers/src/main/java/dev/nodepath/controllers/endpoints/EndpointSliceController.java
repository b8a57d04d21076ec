package dev.nodepath.controllers.endpoints;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.nodepath.apiserver.ClusterApi;
import dev.nodepath.apiserver.resource.ObjectKey;
import dev.nodepath.apiserver.resource.Resources;
import dev.nodepath.apiserver.store.ChangeEvent;
import dev.nodepath.controllers.object.Controller;
import dev.nodepath.controllers.object.EventRecorder;
import dev.nodepath.controllers.object.KeyQueue;
import dev.nodepath.controllers.object.Meta;
import dev.nodepath.controllers.object.Trigger;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Keeps the EndpointSlices of Services with a selector. The slices of a Service that loses its selector stay as they
 * are. The cost of a change follows the namespace's Pods and slices. Only changed slices are written, each with the
 * time of the change.
 */
public final class EndpointSliceController implements Controller {
    private static final ObjectKey ALL = new ObjectKey("", "");

    private final ClusterApi api;
    private final SliceWriter slices;
    private final ServiceIndex services = new ServiceIndex();
    private final TriggerTimes times;
    private final EventRecorder events;
    /** Why the endpoints of a Service have no hints for zones; Services with hints are not in it. */
    private final Map<ObjectKey, String> unhinted = new ConcurrentHashMap<>();

    public EndpointSliceController(ClusterApi api, InstantSource clock) {
        this.api = api;
        this.slices = new SliceWriter(api, EndpointSliceBuilder.MANAGER);
        this.times = new TriggerTimes(clock);
        this.events = new EventRecorder(api, clock, "endpoint-slice-controller", "");
    }

    @Override
    public String name() {
        return "endpointslice";
    }

    @Override
    public List<Trigger> triggers() {
        return List.of(
                services.followServices(times),
                services.followPods(times),
                new Trigger(Resources.NODES, this::concerned),
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
            unhinted.remove(key);
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
        Map<SliceGroup, Map<String, ObjectNode>> endpoints = EndpointSliceBuilder.endpoints(
                service, pods, node -> api.find(Resources.NODES, new ObjectKey("", node)));
        if (ZoneHints.wanted(service)) {
            hint(service, endpoints);
        } else {
            unhinted.remove(ObjectKey.of(service));
        }
        return SlicePlan.of(
                group -> EndpointSliceBuilder.empty(service, group), endpoints, slices.of(ObjectKey.of(service)));
    }

    /** Writes an Event when endpoints get hints, and when they have none, with the reason. */
    private void hint(ObjectNode service, Map<SliceGroup, Map<String, ObjectNode>> endpoints) {
        ZoneHints hints = ZoneHints.of(api.list(Resources.NODES, "").objects());
        Map<String, List<ObjectNode>> byType = new TreeMap<>();
        endpoints.forEach((group, each) -> byType.computeIfAbsent(group.addressType(), type -> new ArrayList<>())
                .addAll(each.values()));
        List<String> problems = new ArrayList<>();
        byType.forEach((type, each) ->
                hints.give(each).ifPresent(problem -> problems.add(problem + ", addressType: " + type)));
        String now = String.join("; ", problems);
        if (now.equals(unhinted.put(ObjectKey.of(service), now))) {
            return;
        }
        if (now.isEmpty()) {
            events.normal(
                    service,
                    "TopologyAwareHintsEnabled",
                    "Topology Aware Hints has been enabled, addressType: " + String.join(", ", byType.keySet()));
        } else {
            events.warning(service, "TopologyAwareHintsDisabled", now);
        }
    }

    /**
     * The endpoints of any Service may name the zone of a Node. Services with hints for zones also depend on other
     * fields of a Node.
     */
    private Collection<ObjectKey> concerned(ChangeEvent event) {
        Optional<ObjectNode> before = event.before();
        if (before.filter(old -> zone(old).equals(zone(event.object()))).isEmpty()) {
            return List.of(ALL);
        }
        boolean same = event.type() != ChangeEvent.Type.DELETED && !ZoneHints.changed(before.get(), event.object());
        return same ? List.of() : List.copyOf(unhinted.keySet());
    }

    private static JsonNode zone(JsonNode node) {
        return Meta.labels(node).path(ZoneHints.ZONE);
    }
}
