package dev.nodepath.emulator.cluster;

import static dev.nodepath.report.form.TextTable.words;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.nodepath.apiserver.resource.ConditionList;
import dev.nodepath.apiserver.resource.ObjectKey;
import dev.nodepath.apiserver.resource.Resources;
import dev.nodepath.report.form.TextTable;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;

/**
 * The state of a cluster at a glance.
 *
 * @param mode of the proxies; {@code mixed} if they run in different ones
 * @param keepsClientAddress whether proxies in userspace mode run with {@code --keep-client-address}
 * @param troubles of the cluster itself, such as controllers that fail
 * @param nodes in natural order
 * @param pods in natural order
 * @param services in natural order
 */
record ClusterStatus(
        String mode,
        boolean keepsClientAddress,
        List<String> troubles,
        List<Node> nodes,
        List<Pod> pods,
        List<Service> services) {
    /** Above this number of Pods the list has only Pods with trouble. */
    private static final int LISTED_MAX = 40;

    /** The text for the agent of a node without power. */
    private static final String NO_POWER = "no power";

    record Node(String name, String addresses, String podCidrs, boolean ready, String mode, String agent) {}

    record Pod(ObjectKey key, String node, String addresses, boolean ready, String trouble) {}

    record Service(ObjectKey key, String clusterIps, String ports, List<String> readyPods) {}

    ClusterStatus {
        troubles = List.copyOf(troubles);
        nodes = List.copyOf(nodes);
        pods = List.copyOf(pods);
        services = List.copyOf(services);
    }

    static ClusterStatus of(Cluster cluster) {
        List<Node> nodes = cluster.api().list(Resources.NODES, "").objects().stream()
                .map(node -> node(cluster, node))
                .sorted(Comparator.comparing(Node::name, NaturalOrder.NAMES))
                .toList();
        List<PodView> views = cluster.pods();
        List<Pod> pods = cluster.api().list(Resources.PODS, "").objects().stream()
                .map(ClusterStatus::pod)
                .sorted(Comparator.comparing(pod -> pod.key().toString(), NaturalOrder.NAMES))
                .toList();
        List<Service> services = cluster.api().list(Resources.SERVICES, "").objects().stream()
                .map(service -> service(ServiceView.of(service), service, views))
                .sorted(Comparator.comparing(service -> service.key().toString(), NaturalOrder.NAMES))
                .toList();
        return new ClusterStatus(
                cluster.agents().mode(),
                cluster.agents().keepsClientAddress(),
                cluster.troubles(),
                nodes,
                pods,
                services);
    }

    private static Node node(Cluster cluster, ObjectNode node) {
        String name = ObjectKey.of(node).name();
        List<String> addresses = new ArrayList<>();
        for (JsonNode address : node.path("status").path("addresses")) {
            if (address.path("type").asText().equals("InternalIP")) {
                addresses.add(address.path("address").asText());
            }
        }
        List<String> cidrs = new ArrayList<>();
        node.path("spec").path("podCIDRs").forEach(cidr -> cidrs.add(cidr.asText()));
        return new Node(
                name,
                String.join(", ", addresses),
                String.join(", ", cidrs),
                ConditionList.isTrue(node, "Ready"),
                cluster.agents().mode(name),
                agent(cluster, name));
    }

    private static String agent(Cluster cluster, String node) {
        return switch (cluster.agents().state(node)) {
            case RUNS -> "runs";
            case STARTS -> "starts";
            case ENDED -> cluster.agents().hasPower(node) ? "ended" : NO_POWER;
        };
    }

    private static Pod pod(ObjectNode object) {
        PodView pod = PodView.of(object);
        return new Pod(
                pod.key(), pod.node(), joined(pod.addresses()), pod.ready(), pod.ready() ? "" : PodTrouble.of(object));
    }

    private static Service service(ServiceView service, ObjectNode object, List<PodView> pods) {
        String type = object.path("spec").path("type").asText();
        String addresses = type.equals("ExternalName")
                ? object.path("spec").path("externalName").asText()
                : service.clusterIps().isEmpty() ? "headless" : joined(service.clusterIps());
        return new Service(
                service.key(),
                addresses,
                service.ports().stream().map(ClusterStatus::port).collect(Collectors.joining(", ")),
                pods.stream()
                        .filter(pod -> pod.ready() && service.selects(pod))
                        .map(PodView::name)
                        .sorted(NaturalOrder.NAMES)
                        .toList());
    }

    private static String port(ServiceView.Port port) {
        return port.port() + (port.nodePort() == 0 ? "" : ":" + port.nodePort()) + "/"
                + port.protocol().toLowerCase(Locale.ROOT);
    }

    private static String joined(List<?> values) {
        return values.stream().map(String::valueOf).collect(Collectors.joining(", "));
    }

    /** For people: a line of counts, then tables. */
    String text() {
        long readyNodes = nodes.stream().filter(Node::ready).count();
        long readyPods = pods.stream().filter(Pod::ready).count();
        String summary = readyNodes + "/" + nodes.size() + " nodes ready, " + readyPods + "/" + pods.size()
                + " pods ready, " + services.size() + " Services, mode " + mode + "\n";
        String trouble = troubles.stream().map(each -> each + "\n").collect(Collectors.joining());
        return summary + trouble + "\n" + nodeTable() + "\n" + podTable() + "\n" + serviceTable();
    }

    private String nodeTable() {
        TextTable table = new TextTable(List.of(
                words("NODE"), words("ADDRESS"), words("PODS"), words("STATUS"), words("MODE"), words("AGENT")));
        nodes.forEach(node -> table.add(List.of(
                node.name(),
                node.addresses(),
                node.podCidrs(),
                node.ready() ? "Ready" : "NotReady",
                node.mode(),
                node.agent())));
        return table.toText();
    }

    private String podTable() {
        if (pods.size() > LISTED_MAX) {
            return counts() + trouble();
        }
        TextTable table = new TextTable(List.of(words("POD"), words("NODE"), words("ADDRESS"), words("READY")));
        pods.forEach(pod -> table.add(List.of(
                PodView.shown(pod.key()), pod.node(), pod.addresses(), pod.ready() ? "yes" : "no: " + pod.trouble())));
        return table.toText();
    }

    private String counts() {
        Map<String, List<Pod>> byNamespace = pods.stream()
                .collect(Collectors.groupingBy(pod -> pod.key().namespace(), TreeMap::new, Collectors.toList()));
        TextTable table = new TextTable(List.of(words("NAMESPACE"), words("PODS READY")));
        byNamespace.forEach((namespace, its) ->
                table.add(List.of(namespace, its.stream().filter(Pod::ready).count() + "/" + its.size())));
        return table.toText();
    }

    private String trouble() {
        List<Pod> unready = pods.stream().filter(pod -> !pod.ready()).toList();
        if (unready.isEmpty()) {
            return "";
        }
        TextTable table = new TextTable(List.of(words("NOT READY"), words("NODE"), words("WHY")));
        unready.stream()
                .limit(LISTED_MAX)
                .forEach(pod -> table.add(List.of(PodView.shown(pod.key()), pod.node(), pod.trouble())));
        String more = unready.size() > LISTED_MAX ? (unready.size() - LISTED_MAX) + " more\n" : "";
        return "\n" + table.toText() + more;
    }

    private String serviceTable() {
        TextTable table =
                new TextTable(List.of(words("SERVICE"), words("CLUSTER IP"), words("PORTS"), words("READY PODS")));
        services.forEach(service -> table.add(
                List.of(service.key().toString(), service.clusterIps(), service.ports(), listed(service.readyPods()))));
        return table.toText();
    }

    private static String listed(List<String> names) {
        if (names.isEmpty()) {
            return "none";
        }
        return names.size() > 5
                ? String.join(", ", names.subList(0, 4)) + " and " + (names.size() - 4) + " more"
                : String.join(", ", names);
    }

    /** For programs. */
    String json() {
        ObjectNode status = JsonNodeFactory.instance.objectNode();
        status.put("mode", mode);
        status.put("keepsClientAddress", keepsClientAddress);
        troubles.forEach(status.putArray("troubles")::add);
        nodes.forEach(node -> status.withArray("nodes")
                .addObject()
                .put("name", node.name())
                .put("addresses", node.addresses())
                .put("podCIDRs", node.podCidrs())
                .put("ready", node.ready())
                .put("mode", node.mode())
                .put("agent", node.agent()));
        pods.forEach(pod -> status.withArray("pods")
                .addObject()
                .put("namespace", pod.key().namespace())
                .put("name", pod.key().name())
                .put("node", pod.node())
                .put("addresses", pod.addresses())
                .put("ready", pod.ready())
                .put("trouble", pod.trouble()));
        services.forEach(service -> {
            ObjectNode written = status.withArray("services")
                    .addObject()
                    .put("namespace", service.key().namespace())
                    .put("name", service.key().name())
                    .put("clusterIPs", service.clusterIps())
                    .put("ports", service.ports());
            service.readyPods().forEach(written.putArray("readyPods")::add);
        });
        return status.toPrettyString() + "\n";
    }
}
