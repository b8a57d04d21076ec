package dev.nodepath.cli;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.nodepath.apiserver.resource.ObjectKey;
import dev.nodepath.apiserver.resource.SelectorMatch;
import dev.nodepath.controllers.object.PodState;
import dev.nodepath.emulator.cluster.PodView;
import java.io.IOException;
import java.util.Comparator;
import java.util.List;

/**
 * Commands that a reader may try in the running cluster.
 *
 * @param exec the words after {@code exec}
 * @param meaning what they do
 * @param trace the words after {@code trace} for the same packet; empty if no pod reaches a Service
 */
record ExecExample(String exec, String meaning, String trace) {
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final String NAMESPACE = "default";
    private static final String SYSTEM = "kube-system";
    private static final int HTTP = 80;
    /** Policies may refuse many tries, and the user waits for {@code up} meanwhile. */
    private static final int TRIES_MAX = 8;

    /** Whether a Pod gets an answer over HTTP from an address of the cluster. */
    interface Reach {
        boolean answers(ObjectNode pod, String address, int port) throws IOException;
    }

    /**
     * A pod asks the Service with the most ready pods that answers it. The pod is preferably none of these ready pods.
     *
     * @param node for a cluster without pods
     */
    static ExecExample of(List<ObjectNode> pods, List<ObjectNode> services, String node, Reach reach)
            throws IOException {
        Comparator<ObjectNode> byName = Comparator.comparing(
                        (ObjectNode each) -> !ObjectKey.of(each).namespace().equals(NAMESPACE))
                .thenComparing(each -> ObjectKey.of(each).toString());
        List<ObjectNode> ready = pods.stream()
                .filter(each -> isUsers(each) && PodState.isReady(each))
                .sorted(byName)
                .toList();
        List<ObjectNode> asked = services.stream()
                .filter(each -> isAsked(each) && selected(each, ready) > 0)
                .sorted(Comparator.comparingLong((ObjectNode each) -> -selected(each, ready))
                        .thenComparing(byName))
                .toList();
        int tries = 0;
        for (ObjectNode service : asked) {
            List<ObjectNode> clients = ready.stream()
                    .filter(each -> isBeside(each, service))
                    .sorted(Comparator.comparing((ObjectNode each) -> SelectorMatch.selects(service, each)))
                    .toList();
            for (ObjectNode client : clients) {
                if (tries++ < TRIES_MAX
                        && reach.answers(client, service.at("/spec/clusterIP").asText(), port(service))) {
                    return of(client, service);
                }
            }
        }
        return ready.isEmpty()
                ? new ExecExample(node + " -- ip route", "a command in a node", "")
                : new ExecExample(PodView.shown(ObjectKey.of(ready.get(0))) + " -- hostname", "a command in a pod", "");
    }

    private static ExecExample of(ObjectNode client, ObjectNode service) {
        String pod = PodView.shown(ObjectKey.of(client));
        ObjectKey name = ObjectKey.of(service);
        int port = port(service);
        String inNamespace = name.namespace().equals(NAMESPACE) ? "" : "." + name.namespace();
        return new ExecExample(
                pod + " -- curl -s " + name.name() + (port == HTTP ? "" : ":" + port),
                pod + " asks the Service " + name.name(),
                pod + " " + name.name() + inNamespace + ":" + port);
    }

    /** Reads the text of {@link #json}. */
    static ExecExample parse(String json) throws IOException {
        JsonNode parts = JSON.readTree(json);
        return new ExecExample(
                parts.path("exec").asText(),
                parts.path("meaning").asText(),
                parts.path("trace").asText());
    }

    /** The program that it runs; pods take it from this machine. */
    String program() {
        return exec.replaceFirst(".* -- (\\S+).*", "$1");
    }

    /** The example, for the process outside that prints it. */
    String json() {
        return JSON.createObjectNode()
                .put("exec", exec)
                .put("meaning", meaning)
                .put("trace", trace)
                .toString();
    }

    /** Whether a Service is the user's own, has an address, and takes TCP. */
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

    private static int port(ObjectNode service) {
        return service.at("/spec/ports/0/port").asInt(HTTP);
    }
}
