package dev.nodepath.emulator;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.nodepath.apiserver.resource.ObjectKey;
import dev.nodepath.controllers.object.SelectorMatch;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;

/** An example of {@code exec} that works in the cluster that runs. */
final class ExecExample {
    private static final String NAMESPACE = "default";
    private static final String SYSTEM = "kube-system";
    private static final int HTTP = 80;

    private ExecExample() {}

    /**
     * The words after {@code exec}: a pod asks the Service with the most pods, if there is one. It is better not one
     * of these.
     *
     * @param node for a cluster without pods
     */
    static String of(List<ObjectNode> pods, List<ObjectNode> services, String node) {
        Comparator<ObjectNode> byName = Comparator.comparing(
                        (ObjectNode each) -> !ObjectKey.of(each).namespace().equals(NAMESPACE))
                .thenComparing(each -> ObjectKey.of(each).toString());
        Optional<ObjectNode> service = services.stream()
                .filter(each -> isAsked(each) && selected(each, pods) > 0)
                .min(Comparator.comparingLong((ObjectNode each) -> -selected(each, pods))
                        .thenComparing(byName));
        Optional<ObjectNode> client = pods.stream()
                .filter(each -> service.isEmpty() ? isUsers(each) : isBeside(each, service.get()))
                .min(Comparator.comparing(
                                (ObjectNode each) -> service.isPresent() && SelectorMatch.selects(service.get(), each))
                        .thenComparing(byName));
        if (client.isEmpty()) {
            return node + " -- ip route";
        }
        ObjectKey key = ObjectKey.of(client.get());
        String place = key.namespace().equals(NAMESPACE) ? key.name() : key.toString();
        return place + " -- "
                + service.map(each -> "curl -s " + ObjectKey.of(each).name() + port(each))
                        .orElse("hostname");
    }

    /** Whether it is not the cluster's own, has an address, and takes TCP. */
    private static boolean isAsked(ObjectNode service) {
        JsonNode spec = service.path("spec");
        String address = spec.path("clusterIP").asText("");
        return isUsers(service)
                && !address.isEmpty()
                && !address.equals("None")
                && service.at("/spec/ports/0/protocol").asText("TCP").equals("TCP");
    }

    private static boolean isUsers(ObjectNode object) {
        return !ObjectKey.of(object).namespace().equals(SYSTEM);
    }

    private static boolean isBeside(ObjectNode pod, ObjectNode service) {
        return ObjectKey.of(pod).namespace().equals(ObjectKey.of(service).namespace());
    }

    private static long selected(ObjectNode service, List<ObjectNode> pods) {
        return pods.stream().filter(pod -> SelectorMatch.selects(service, pod)).count();
    }

    private static String port(ObjectNode service) {
        int port = service.at("/spec/ports/0/port").asInt(HTTP);
        return port == HTTP ? "" : ":" + port;
    }
}
