package dev.nodepath.controllers.endpoints;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.nodepath.apiserver.ClusterApi;
import dev.nodepath.apiserver.resource.ObjectKey;
import dev.nodepath.apiserver.resource.Resources;
import dev.nodepath.controllers.object.Controller;
import dev.nodepath.controllers.object.EventRecorder;
import dev.nodepath.controllers.object.KeyQueue;
import dev.nodepath.controllers.object.Meta;
import dev.nodepath.controllers.object.Trigger;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * Writes the address of a load balancer into the status of each Service of that type, unless its class names another
 * balancer or its status already has another program's address. The addresses in the statuses are in use.
 */
public final class BalancerController implements Controller {
    private final ClusterApi api;
    private final EventRecorder events;

    public BalancerController(ClusterApi api, InstantSource clock) {
        this.api = api;
        this.events = new EventRecorder(api, clock, "service-controller", "");
    }

    @Override
    public String name() {
        return "load-balancer";
    }

    @Override
    public List<Trigger> triggers() {
        return List.of(Trigger.each(Resources.SERVICES));
    }

    @Override
    public void reconcile(ObjectKey key, KeyQueue queue) {
        Optional<ObjectNode> found = api.find(Resources.SERVICES, key);
        if (found.isEmpty()) {
            return;
        }
        ObjectNode service = found.get();
        List<String> present = addresses(service);
        boolean ours = present.stream().allMatch(BalancerRange::contains);
        if (!isOurs(service)) {
            if (ours && !present.isEmpty()) {
                write(service, List.of());
            }
        } else if (ours && !fits(service, present)) {
            ensure(service);
        }
    }

    private static boolean isOurs(JsonNode service) {
        JsonNode spec = service.path("spec");
        return spec.path("type").asText().equals("LoadBalancer")
                && spec.path("loadBalancerClass").asText("").isEmpty()
                && !Meta.isTerminating(service);
    }

    /** Whether a Service has an address of each of its families, and the requested one. */
    private static boolean fits(JsonNode service, List<String> present) {
        List<String> families = families(service);
        String wanted = service.path("spec").path("loadBalancerIP").asText("");
        return present.size() == families.size()
                && families.stream().allMatch(family -> present.stream().anyMatch(BalancerRange.of(family)::has))
                && (!BalancerRange.contains(wanted) || present.contains(wanted));
    }

    private void ensure(ObjectNode service) {
        events.normal(service, "EnsuringLoadBalancer", "Ensuring load balancer");
        Set<String> taken = new HashSet<>();
        for (ObjectNode other : api.list(Resources.SERVICES, "").objects()) {
            if (!Meta.uid(other).equals(Meta.uid(service))) {
                taken.addAll(addresses(other));
            }
        }
        List<String> chosen = new ArrayList<>();
        for (String family : families(service)) {
            Optional<String> address = choose(service, BalancerRange.of(family), taken);
            if (address.isEmpty()) {
                events.warning(
                        service,
                        "SyncLoadBalancerFailed",
                        "Error syncing load balancer: failed to ensure load balancer: no " + family
                                + " address is free that this Service may have");
                return;
            }
            chosen.add(address.get());
        }
        write(service, chosen);
        events.normal(service, "EnsuredLoadBalancer", "Ensured load balancer");
    }

    /** {@code loadBalancerIP} is honoured for its family. */
    private static Optional<String> choose(JsonNode service, BalancerRange range, Set<String> taken) {
        String wanted = service.path("spec").path("loadBalancerIP").asText("");
        boolean ofFamily = !wanted.isEmpty() && wanted.contains(":") == (range == BalancerRange.IPV6);
        if (ofFamily) {
            return Optional.of(wanted).filter(each -> range.has(each) && !taken.contains(each));
        }
        return addresses(service).stream().filter(range::has).findFirst().or(() -> range.free(taken));
    }

    private void write(ObjectNode service, List<String> addresses) {
        api.modify(Resources.SERVICES, ObjectKey.of(service), "status", copy -> {
            ObjectNode balancer = copy.withObjectProperty("status").putObject("loadBalancer");
            for (String address : addresses) {
                balancer.withArrayProperty("ingress")
                        .addObject()
                        .put("ip", address)
                        .put("ipMode", "VIP");
            }
            return copy;
        });
    }

    private static List<String> families(JsonNode service) {
        List<String> families = new ArrayList<>();
        service.path("spec").path("ipFamilies").forEach(each -> families.add(each.asText()));
        return families.isEmpty() ? List.of("IPv4") : families;
    }

    private static List<String> addresses(JsonNode service) {
        List<String> addresses = new ArrayList<>();
        for (JsonNode each : service.path("status").path("loadBalancer").path("ingress")) {
            addresses.add(each.path("ip").asText(each.path("hostname").asText()));
        }
        return addresses;
    }
}
