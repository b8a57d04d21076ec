package dev.nodepath.controllers.endpoints;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.nodepath.apiserver.ClusterApi;
import dev.nodepath.apiserver.Deletion;
import dev.nodepath.apiserver.resource.ObjectKey;
import dev.nodepath.apiserver.resource.Resources;
import dev.nodepath.controllers.object.Controller;
import dev.nodepath.controllers.object.KeyQueue;
import dev.nodepath.controllers.object.Meta;
import dev.nodepath.controllers.object.Trigger;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;

/** Keeps the Endpoints of Services with a selector. */
public final class EndpointsController implements Controller {
    private final ClusterApi api;
    private final ServiceIndex services = new ServiceIndex();
    private final TriggerTimes times;

    public EndpointsController(ClusterApi api, InstantSource clock) {
        this.api = api;
        this.times = new TriggerTimes(clock);
    }

    @Override
    public String name() {
        return "endpoints";
    }

    @Override
    public List<Trigger> triggers() {
        return List.of(
                services.followServices(times),
                services.followPods(times),
                new Trigger(Resources.ENDPOINTS, event -> isOurs(event.object()) ? List.of(event.key()) : List.of()));
    }

    @Override
    public void reconcile(ObjectKey key, KeyQueue queue) {
        String time = times.take(key).toString();
        Optional<ObjectNode> service = api.find(Resources.SERVICES, key);
        Optional<ObjectNode> present = api.find(Resources.ENDPOINTS, key);
        if (service.isEmpty()) {
            present.ifPresent(each -> api.delete(Resources.ENDPOINTS, key, Deletion.DEFAULT));
        } else if (ServiceShape.selects(service.get())) {
            write(service.get(), present, time);
        }
    }

    private void write(ObjectNode service, Optional<ObjectNode> present, String time) {
        List<ObjectNode> pods =
                api.list(Resources.PODS, Meta.namespace(service)).objects();
        ObjectNode desired = EndpointsBuilder.build(service, pods);
        if (present.filter(each -> isSame(each, desired)).isEmpty()) {
            Meta.annotate(desired, TriggerTimes.ANNOTATION, time);
            if (present.isPresent()) {
                api.update(Resources.ENDPOINTS, desired);
            } else {
                api.create(Resources.ENDPOINTS, desired);
            }
        }
    }

    private static boolean isSame(JsonNode present, JsonNode desired) {
        return present.path("subsets").equals(desired.path("subsets"))
                && Meta.labels(present).equals(Meta.labels(desired));
    }

    /** Whether the cluster wrote the Endpoints, and not a user. */
    static boolean isOurs(JsonNode endpoints) {
        return Meta.labels(endpoints)
                .path(EndpointsBuilder.MANAGED_BY)
                .asText("")
                .equals(EndpointsBuilder.MANAGER);
    }
}
