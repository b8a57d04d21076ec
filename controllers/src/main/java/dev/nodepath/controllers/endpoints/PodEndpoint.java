package dev.nodepath.controllers.endpoints;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.nodepath.controllers.object.Meta;
import dev.nodepath.controllers.object.PodState;
import java.util.Optional;

/** One Pod as an endpoint of a Service. */
final class PodEndpoint {

    private PodEndpoint() {}

    /** The facts that decide an endpoint: equal facts give an equal endpoint. */
    record Facts(
            JsonNode labels,
            JsonNode address,
            JsonNode addresses,
            String node,
            boolean finished,
            boolean ready,
            boolean terminating) {
        static Facts of(JsonNode pod) {
            return new Facts(
                    Meta.labels(pod),
                    pod.path("status").path("podIP"),
                    pod.path("status").path("podIPs"),
                    PodState.node(pod),
                    PodState.isFinished(pod),
                    PodState.isReady(pod),
                    Meta.isTerminating(pod));
        }
    }

    /** The address of a Pod of this type; empty if the Pod has none or has ended. */
    static Optional<String> address(JsonNode pod, String addressType) {
        if (PodState.isFinished(pod)) {
            return Optional.empty();
        }
        for (JsonNode each : pod.path("status").path("podIPs")) {
            String address = each.path("ip").asText("");
            if (!address.isEmpty() && ServiceShape.addressType(address).equals(addressType)) {
                return Optional.of(address);
            }
        }
        String only = pod.path("status").path("podIP").asText("");
        return Optional.of(only)
                .filter(each ->
                        !each.isEmpty() && pod.path("status").path("podIPs").isEmpty())
                .filter(each -> ServiceShape.addressType(each).equals(addressType));
    }

    /** The endpoint of a Pod in a slice. */
    static ObjectNode of(JsonNode service, JsonNode pod, String address, Optional<ObjectNode> node) {
        ObjectNode endpoint = JsonNodeFactory.instance.objectNode();
        endpoint.putArray("addresses").add(address);
        boolean serving = PodState.isReady(pod);
        boolean terminating = Meta.isTerminating(pod);
        endpoint.putObject("conditions")
                .put("ready", publishesUnready(service) || (serving && !terminating))
                .put("serving", serving)
                .put("terminating", terminating);
        hostname(service, pod).ifPresent(name -> endpoint.put("hostname", name));
        endpoint.set("targetRef", target(pod));
        if (!PodState.node(pod).isEmpty()) {
            endpoint.put("nodeName", PodState.node(pod));
        }
        node.map(each -> Meta.labels(each).path(ZoneHints.ZONE).asText(""))
                .filter(zone -> !zone.isEmpty())
                .ifPresent(zone -> endpoint.put("zone", zone));
        hint(service, endpoint);
        return endpoint;
    }

    /**
     * Hints which clients prefer a ready endpoint: those of its zone, or of its Node. {@link ZoneHints} take
     * precedence.
     */
    private static void hint(JsonNode service, ObjectNode endpoint) {
        if (ZoneHints.wanted(service)) {
            return;
        }
        String distribution = service.path("spec").path("trafficDistribution").asText("");
        boolean ofNode = distribution.equals("PreferSameNode");
        boolean ofZone = ofNode || distribution.equals("PreferSameZone") || distribution.equals("PreferClose");
        if (!endpoint.path("conditions").path("ready").asBoolean()) {
            return;
        }
        if (ofZone && endpoint.has("zone")) {
            endpoint.withObjectProperty("hints")
                    .putArray("forZones")
                    .addObject()
                    .set("name", endpoint.get("zone"));
        }
        if (ofNode && endpoint.has("nodeName")) {
            endpoint.withObjectProperty("hints")
                    .putArray("forNodes")
                    .addObject()
                    .set("name", endpoint.get("nodeName"));
        }
    }

    /** Whether unready Pods count as ready. */
    static boolean publishesUnready(JsonNode service) {
        return service.path("spec").path("publishNotReadyAddresses").asBoolean(false);
    }

    /** The name of a Pod below its Service's, if its subdomain is the Service. */
    static Optional<String> hostname(JsonNode service, JsonNode pod) {
        String hostname = pod.path("spec").path("hostname").asText("");
        boolean below = pod.path("spec").path("subdomain").asText("").equals(Meta.name(service))
                && Meta.namespace(pod).equals(Meta.namespace(service));
        return hostname.isEmpty() || !below ? Optional.empty() : Optional.of(hostname);
    }

    /** The identity of an endpoint within its Service: its Pod, if it has one, and its address. */
    static String id(JsonNode endpoint) {
        JsonNode target = endpoint.path("targetRef");
        return target.path("name").asText("") + "/" + target.path("uid").asText("") + "/"
                + endpoint.path("addresses").path(0).asText("");
    }

    /** A reference to a Pod. */
    static ObjectNode target(JsonNode pod) {
        ObjectNode target = JsonNodeFactory.instance
                .objectNode()
                .put("kind", "Pod")
                .put("namespace", Meta.namespace(pod))
                .put("name", Meta.name(pod));
        // A Pod of a manifest has no uid.
        if (!Meta.uid(pod).isEmpty()) {
            target.put("uid", Meta.uid(pod));
        }
        return target;
    }
}
