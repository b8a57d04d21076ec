package dev.nodepath.emulator.page;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.nodepath.apiserver.ClusterApi;
import dev.nodepath.apiserver.resource.ConditionList;
import dev.nodepath.apiserver.resource.ObjectKey;
import dev.nodepath.apiserver.resource.Resources;
import dev.nodepath.emulator.cluster.AgentState;
import dev.nodepath.emulator.cluster.Cluster;
import dev.nodepath.emulator.cluster.NaturalOrder;
import dev.nodepath.emulator.cluster.PodTrouble;
import dev.nodepath.emulator.cluster.PodView;
import dev.nodepath.emulator.cluster.Topology;
import dev.nodepath.endpoints.NodeInfo;
import dev.nodepath.page.Picture;
import dev.nodepath.page.PicturedNode;
import dev.nodepath.page.PicturedNode.SyncPart;
import dev.nodepath.page.PicturedPod;
import dev.nodepath.page.PicturedService;
import dev.nodepath.page.PodSlots;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** Reads the picture of a cluster from its objects. */
final class PictureReader {
    private static final Comparator<String> NAMES = NaturalOrder.NAMES;

    private final Cluster cluster;
    private final PodSlots slots = new PodSlots();

    PictureReader(Cluster cluster) {
        this.cluster = cluster;
    }

    Picture read() {
        return new Picture(
                cluster.agents().mode(),
                new Picture.ClientPart(Topology.CLIENT, cluster.clientAddress().toString()),
                nodes(),
                slots.place(pods()),
                services());
    }

    private List<PicturedNode> nodes() {
        return cluster.api().list(Resources.NODES, "").objects().stream()
                .map(this::node)
                .sorted(Comparator.comparing(PicturedNode::id, NAMES))
                .toList();
    }

    private PicturedNode node(ObjectNode node) {
        String name = ObjectKey.of(node).name();
        List<String> addresses = new ArrayList<>();
        for (JsonNode address : node.path("status").path("addresses")) {
            if (address.path("type").asText().equals("InternalIP")) {
                addresses.add(address.path("address").asText());
            }
        }
        List<String> podCidrs = new ArrayList<>();
        node.path("spec").path("podCIDRs").forEach(cidr -> podCidrs.add(cidr.asText()));
        AgentState agent = cluster.agents().state(name);
        return new PicturedNode(
                name,
                addresses,
                podCidrs,
                ConditionList.isTrue(node, "Ready"),
                cluster.agents().mode(name),
                agent == AgentState.RUNS,
                agent == AgentState.STARTS,
                cluster.agents().hasPower(name),
                cluster.agents()
                        .lastSync(name)
                        .map(sync -> new SyncPart(
                                sync.at().toEpochMilli(),
                                sync.ok(),
                                sync.durationMs(),
                                sync.services(),
                                sync.changed())),
                network(name));
    }

    private String network(String node) {
        Topology topology = cluster.topology();
        return topology.nodes().stream()
                .filter(each -> each.name().equals(node))
                .map((NodeInfo each) -> topology.network(each).cidrs().get(0).toString())
                .findFirst()
                .orElse("");
    }

    private List<PicturedPod> pods() {
        return cluster.api().list(Resources.PODS, "").objects().stream()
                .map(PictureReader::pod)
                .sorted(Comparator.comparing(PicturedPod::id, NAMES))
                .toList();
    }

    private static PicturedPod pod(ObjectNode object) {
        PodView pod = PodView.of(object);
        return new PicturedPod(
                PodView.shown(pod.key()),
                pod.node(),
                0,
                pod.addresses().stream().map(Object::toString).toList(),
                pod.ready(),
                object.path("metadata").has("deletionTimestamp"),
                pod.ready() ? "" : PodTrouble.of(object),
                object.path("spec").path("hostNetwork").asBoolean(false),
                pod.ports().values().stream().sorted().toList(),
                object.at("/metadata/ownerReferences/0/kind").asText().equals("ReplicaSet"));
    }

    private List<PicturedService> services() {
        ClusterApi api = cluster.api();
        Map<ObjectKey, List<PicturedService.EndpointPart>> endpoints = new TreeMap<>();
        for (ObjectNode slice : api.list(Resources.ENDPOINT_SLICES, "").objects()) {
            JsonNode service = slice.path("metadata").path("labels").path("kubernetes.io/service-name");
            ObjectKey key = new ObjectKey(ObjectKey.of(slice).namespace(), service.asText());
            add(endpoints.computeIfAbsent(key, each -> new ArrayList<>()), slice, key.namespace());
        }
        return api.list(Resources.SERVICES, "").objects().stream()
                .map(service -> service(service, endpoints.getOrDefault(ObjectKey.of(service), List.of())))
                .sorted(Comparator.comparing(PicturedService::id, NAMES))
                .toList();
    }

    private static void add(List<PicturedService.EndpointPart> endpoints, ObjectNode slice, String namespace) {
        for (JsonNode endpoint : slice.path("endpoints")) {
            JsonNode target = endpoint.path("targetRef");
            String pod = target.path("kind").asText().equals("Pod")
                    ? PodView.shown(new ObjectKey(namespace, target.path("name").asText()))
                    : "";
            JsonNode conditions = endpoint.path("conditions");
            String state = conditions.path("ready").asBoolean(true)
                    ? "ready"
                    : conditions.path("serving").asBoolean(false)
                                    && conditions.path("terminating").asBoolean(false)
                            ? "ending"
                            : "unready";
            endpoint.path("addresses")
                    .forEach(address -> endpoints.add(new PicturedService.EndpointPart(address.asText(), pod, state)));
        }
    }

    private static PicturedService service(ObjectNode object, List<PicturedService.EndpointPart> endpoints) {
        ObjectKey key = ObjectKey.of(object);
        JsonNode spec = object.path("spec");
        List<String> addresses = new ArrayList<>();
        for (JsonNode address : spec.path("clusterIPs")) {
            if (!address.asText().equals("None")) {
                addresses.add(address.asText());
            }
        }
        List<PicturedService.PortPart> ports = new ArrayList<>();
        for (JsonNode port : spec.path("ports")) {
            ports.add(new PicturedService.PortPart(
                    port.path("name").asText(""),
                    port.path("protocol").asText("TCP"),
                    port.path("port").asInt(),
                    port.path("nodePort").asInt(0)));
        }
        return new PicturedService(
                key.namespace().equals("default") ? key.name() : key.name() + "." + key.namespace(),
                spec.path("type").asText(),
                addresses,
                ports,
                endpoints.stream()
                        .distinct()
                        .sorted(Comparator.comparing(PicturedService.EndpointPart::address, NAMES))
                        .toList(),
                policies(spec));
    }

    private static List<String> policies(JsonNode spec) {
        List<String> policies = new ArrayList<>();
        for (String field : List.of("externalTrafficPolicy", "internalTrafficPolicy", "sessionAffinity")) {
            String value = spec.path(field).asText("");
            if (!value.isEmpty() && !value.equals("Cluster") && !value.equals("None")) {
                policies.add(field + ": " + value);
            }
        }
        if (spec.path("selector").has(ServiceActions.NOBODY)) {
            policies.add("selector: nobody");
        }
        return policies;
    }
}
