package dev.nodepath.apiserver.rules;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.nodepath.apiserver.StatusException;
import dev.nodepath.apiserver.store.ObjectStore;
import dev.nodepath.apiserver.validation.Addresses;
import dev.nodepath.apiserver.validation.ObjectField;
import dev.nodepath.linux.address.IpAddress;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Random;
import java.util.Set;

/** Gives Services their addresses, families and node ports. Callers hold the store's lock. */
final class ServiceAllocation {
    private static final String CLUSTER_IP = "clusterIP";
    private static final String CLUSTER_IPS = "clusterIPs";
    private static final String NODE_PORT = "nodePort";
    private static final String HEALTH_PORT = "healthCheckNodePort";

    private final ClusterIps addresses;
    private final NodePorts ports;

    /** Follows the Services of a store. */
    public ServiceAllocation(ObjectStore store, Random random) {
        ServiceUse used = new ServiceUse(store);
        this.addresses = new ClusterIps(store, used, random);
        this.ports = new NodePorts(used, random);
    }

    /** Completes the fields that follow from each other and from the state before; this is the first step. */
    public static void prepare(ObjectNode service, Optional<ObjectNode> before) {
        before.ifPresent(old -> new ServiceUpdate(service, old).apply());
        ObjectNode spec = service.withObjectProperty("spec");
        if (!spec.path(CLUSTER_IP).asText("").isEmpty()
                && spec.path(CLUSTER_IPS).isEmpty()) {
            spec.putArray(CLUSTER_IPS).add(spec.get(CLUSTER_IP));
        }
    }

    /**
     * Allocates the values that a valid Service needs, and keeps those that it has.
     *
     * @param field the Service; it takes complaints about values that cannot be allocated
     */
    public void allocate(ObjectField field, Optional<ObjectNode> before) {
        ObjectField spec = field.at("spec");
        ObjectNode node = (ObjectNode) spec.value();
        boolean addressed =
                !ServiceKind.isExternalName(node) && new IpFamilies(addresses.families(), spec, before).complete();
        if (addressed && !ServiceKind.isHeadless(node)) {
            allocateAddresses(spec, before.map(ServiceUse::addressesOf).orElse(Set.of()));
        }
        Set<Integer> had = before.map(ServiceUse::portsOf).orElse(Set.of());
        if (ServiceKind.hasNodePorts(node)) {
            allocatePorts(spec, had);
        }
        if (ServiceKind.hasHealthPort(node)) {
            allocateHealthPort(spec, had);
        }
    }

    private void allocateAddresses(ObjectField spec, Set<IpAddress> had) {
        ObjectNode node = (ObjectNode) spec.value();
        ArrayNode list = node.withArrayProperty(CLUSTER_IPS);
        List<String> families = spec.at("ipFamilies").texts();
        Set<IpAddress> taken = new HashSet<>();
        for (int i = 0; i < families.size(); i++) {
            String asked = list.path(i).asText("");
            if (asked.isEmpty()) {
                IpAddress free = addresses
                        .next(families.get(i), taken)
                        .orElseThrow(() -> internal("failed to allocate a serviceIP: range is full"));
                taken.add(free);
                list.remove(i);
                list.insert(i, free.toString());
            } else {
                IpAddress address = Addresses.parse(asked).orElseThrow();
                taken.add(address);
                if (!had.contains(address)) {
                    addresses
                            .refusal(address)
                            .ifPresent(
                                    why -> spec.at(CLUSTER_IPS).invalid("failed to allocate IP " + asked + ": " + why));
                }
            }
        }
        if (!list.isEmpty()) {
            node.set(CLUSTER_IP, list.get(0));
        }
    }

    /** Ports of the same number share a node port, as for TCP and UDP. */
    private void allocatePorts(ObjectField spec, Set<Integer> had) {
        Set<Integer> taken = new HashSet<>();
        Map<Integer, Integer> byPort = new HashMap<>();
        for (ObjectField port : spec.at("ports").items()) {
            int asked = port.value().path(NODE_PORT).asInt(0);
            if (asked != 0) {
                byPort.putIfAbsent(port.value().path("port").asInt(), asked);
                if (taken.add(asked) && !had.contains(asked)) {
                    ports.refusal(asked).ifPresent(port.at(NODE_PORT)::invalid);
                }
            }
        }
        if (spec.at("allocateLoadBalancerNodePorts").value().asBoolean(true)) {
            Set<String> shared = new HashSet<>();
            spec.value().path("ports").forEach(each -> shared.add(owner(each)));
            for (JsonNode port : spec.value().path("ports")) {
                if (port.path(NODE_PORT).asInt(0) == 0) {
                    Integer same = byPort.get(port.path("port").asInt());
                    int number =
                            same != null && shared.add(port.path("protocol").asText() + same) ? same : next(taken);
                    byPort.putIfAbsent(port.path("port").asInt(), number);
                    shared.add(port.path("protocol").asText() + number);
                    ((ObjectNode) port).put(NODE_PORT, number);
                }
            }
        }
    }

    private static String owner(JsonNode port) {
        return port.path("protocol").asText() + port.path(NODE_PORT).asInt(0);
    }

    private void allocateHealthPort(ObjectField spec, Set<Integer> had) {
        int asked = (int) spec.at(HEALTH_PORT).number();
        Set<Integer> taken = new HashSet<>();
        spec.value()
                .path("ports")
                .forEach(port -> taken.add(port.path(NODE_PORT).asInt(0)));
        if (asked == 0) {
            ((ObjectNode) spec.value()).put(HEALTH_PORT, next(taken));
        } else if (!had.contains(asked) || taken.contains(asked)) {
            Optional<String> refusal =
                    taken.contains(asked) ? Optional.of("provided port is already allocated") : ports.refusal(asked);
            refusal.ifPresent(why -> {
                throw internal("failed to allocate requested HealthCheck NodePort " + asked + ": " + why);
            });
        }
    }

    private int next(Set<Integer> taken) {
        OptionalLong free = ports.next(taken);
        if (free.isEmpty()) {
            throw internal("failed to allocate a nodePort: range is full");
        }
        taken.add((int) free.getAsLong());
        return (int) free.getAsLong();
    }

    private static StatusException internal(String why) {
        return new StatusException(500, "InternalError", "Internal error occurred: " + why, "", "", "", List.of());
    }
}
