package dev.nodepath.controllers.endpoints;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.nodepath.apiserver.resource.ConditionList;
import dev.nodepath.apiserver.validation.Quantities;
import dev.nodepath.controllers.object.Meta;
import java.math.BigDecimal;
import java.util.ArrayDeque;
import java.util.Collection;
import java.util.Comparator;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * Divides the ready endpoints of a Service among the zones in proportion to their processors (KEP-2433, annotation
 * {@code service.kubernetes.io/topology-mode: Auto}). An endpoint serves its own zone, unless another zone would be
 * overloaded by more than a fifth.
 */
final class ZoneHints {
    static final String ZONE = "topology.kubernetes.io/zone";

    /** The first annotation that a Service has counts. */
    private static final List<String> MODES =
            List.of("service.kubernetes.io/topology-aware-hints", "service.kubernetes.io/topology-mode");

    private static final List<String> EXCLUDED =
            List.of("node-role.kubernetes.io/control-plane", "node-role.kubernetes.io/master");

    private static final String READY = "Ready";
    private static final double LOAD_MAX = 1.2;

    /** The processors of each zone; empty if a Node does not tell its zone or processors. */
    private final Optional<Map<String, Double>> processors;

    private ZoneHints(Optional<Map<String, Double>> processors) {
        this.processors = processors;
    }

    /** Whether a Service asks for hints. */
    static boolean wanted(JsonNode service) {
        return MODES.stream()
                .map(mode -> Meta.annotation(service, mode))
                .filter(value -> !value.isEmpty())
                .findFirst()
                .filter(List.of("Auto", "auto")::contains)
                .isPresent();
    }

    /** The hints for these Nodes. Nodes of the control plane, and unready Nodes, do not count. */
    static ZoneHints of(Collection<ObjectNode> nodes) {
        Map<String, Double> processors = new TreeMap<>();
        for (ObjectNode node : nodes) {
            boolean excluded = EXCLUDED.stream().anyMatch(Meta.labels(node)::has);
            if (excluded || !ConditionList.isTrue(node, READY)) {
                continue;
            }
            String zone = Meta.labels(node).path(ZONE).asText("");
            double own = Quantities.parse(
                            node.path("status").path("allocatable").path("cpu").asText(""))
                    .map(BigDecimal::doubleValue)
                    .orElse(0.0);
            if (zone.isEmpty() || own <= 0) {
                return new ZoneHints(Optional.empty());
            }
            processors.merge(zone, own, Double::sum);
        }
        return new ZoneHints(Optional.of(processors));
    }

    /** Whether a change of a Node may change hints. */
    static boolean changed(JsonNode before, JsonNode after) {
        return !Meta.labels(before).equals(Meta.labels(after))
                || ConditionList.isTrue(before, READY) != ConditionList.isTrue(after, READY)
                || !before.path("status")
                        .path("allocatable")
                        .path("cpu")
                        .equals(after.path("status").path("allocatable").path("cpu"));
    }

    /**
     * Gives each ready endpoint its hint.
     *
     * @param endpoints of one address type
     * @return why no endpoint has a hint, in the words of kube-controller-manager; empty if all have one
     */
    Optional<String> give(Collection<ObjectNode> endpoints) {
        List<ObjectNode> ready = endpoints.stream()
                .filter(each -> each.path("conditions").path("ready").asBoolean())
                .toList();
        if (processors.isEmpty()) {
            return Optional.of(
                    "Insufficient Node information: allocatable CPU or zone not specified on one or more nodes");
        }
        Map<String, Double> zones = processors.get();
        if (zones.size() < 2) {
            return Optional.of("Nodes only ready in one zone");
        }
        if (ready.size() < zones.size()) {
            return Optional.of("Insufficient number of endpoints (" + ready.size()
                    + "), impossible to safely allocate proportionally");
        }
        if (ready.stream().anyMatch(endpoint -> !endpoint.has("zone"))) {
            return Optional.of("One or more endpoints do not have a zone specified");
        }
        double sum = zones.values().stream().mapToDouble(Double::doubleValue).sum();
        Map<String, Share> shares = new TreeMap<>();
        zones.forEach((zone, own) -> shares.put(zone, new Share(ready.size() * own / sum)));
        if (shares.values().stream().mapToInt(Share::least).sum() > ready.size()) {
            return Optional.of("Unable to allocate minimum required endpoints to each zone without exceeding overload"
                    + " threshold (" + ready.size() + " endpoints, " + zones.size() + " zones)");
        }
        // A zone without ready Nodes has no share, so it gives all of its endpoints away.
        ready.forEach(endpoint -> shares.computeIfAbsent(endpoint.path("zone").asText(), zone -> new Share(0))
                .endpoints
                .add(endpoint));
        balance(shares.values());
        shares.forEach((zone, share) -> share.endpoints.forEach(endpoint -> endpoint.withObjectProperty("hints")
                .putArray("forZones")
                .addObject()
                .put("name", zone)));
        return Optional.empty();
    }

    /**
     * The fullest zone gives to the emptiest, as long as one has too few endpoints, or has endpoints without a share.
     */
    private static void balance(Collection<Share> shares) {
        Comparator<Share> bySurplus = Comparator.comparingDouble(Share::surplus);
        while (shares.stream().anyMatch(Share::isUnfair)) {
            Share to = shares.stream()
                    .min(Comparator.comparing(Share::hasEnough).thenComparing(bySurplus))
                    .orElseThrow();
            // There are enough endpoints for all zones, so one zone has more than it needs.
            Share from = shares.stream().filter(Share::canGive).max(bySurplus).orElseThrow();
            to.endpoints.add(from.endpoints.removeLast());
        }
    }

    private static final class Share {
        private final double wanted;
        private final Deque<ObjectNode> endpoints = new ArrayDeque<>();

        Share(double wanted) {
            this.wanted = wanted;
        }

        /** The fewest endpoints that carry the zone's share with an overload of a fifth at most. */
        int least() {
            return (int) Math.ceil(wanted / LOAD_MAX);
        }

        double surplus() {
            return endpoints.size() - wanted;
        }

        boolean hasEnough() {
            return endpoints.size() >= least();
        }

        boolean canGive() {
            return endpoints.size() > least();
        }

        boolean isUnfair() {
            return !hasEnough() || (wanted == 0 && !endpoints.isEmpty());
        }
    }
}
