package dev.nodepath.emulator.topology;

import dev.nodepath.endpoints.NamespacedName;
import dev.nodepath.endpoints.source.manifests.ManifestException;
import dev.nodepath.endpoints.source.manifests.ManifestObject;
import dev.nodepath.endpoints.source.objects.Fields;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Reads a Pod ({@code v1}), as far as the emulator runs it: the first container's command and probe, the ports of all. */
final class PodSpecReader {
    private PodSpecReader() {}

    static PodSpec read(ManifestObject object) throws ManifestException {
        return object.read(root -> read(new NamespacedName(object.namespace(), object.name()), root));
    }

    private static PodSpec read(NamespacedName name, Fields root) {
        List<Fields> containers = root.object("spec").objects("containers");
        Map<String, Integer> ports = ports(containers);
        List<String> command = new ArrayList<>();
        Optional<PodSpec.Probe> readiness = Optional.empty();
        if (!containers.isEmpty()) {
            command.addAll(containers.get(0).texts("command"));
            command.addAll(containers.get(0).texts("args"));
            readiness = probe(containers.get(0), ports);
        }
        return new PodSpec(
                name,
                root.object("spec").requiredText("nodeName"),
                root.object("metadata").textMap("labels"),
                command,
                ports,
                readiness);
    }

    private static Map<String, Integer> ports(List<Fields> containers) {
        Map<String, Integer> ports = new LinkedHashMap<>();
        for (Fields container : containers) {
            for (Fields port : container.objects("ports")) {
                int number = port.port("containerPort");
                String name = port.text("name");
                if (ports.put(name.isEmpty() ? String.valueOf(number) : name, number) != null) {
                    port.problem("name", "a name that no other port of the Pod has");
                }
            }
        }
        return ports;
    }

    private static Optional<PodSpec.Probe> probe(Fields container, Map<String, Integer> ports) {
        if (!container.has("readinessProbe")) {
            return Optional.empty();
        }
        Fields probe = container.object("readinessProbe");
        if (probe.has("httpGet") == probe.has("tcpSocket")) {
            container.problem("readinessProbe", "either httpGet or tcpSocket");
            return Optional.empty();
        }
        if (probe.has("tcpSocket")) {
            return Optional.of(new PodSpec.Probe(Optional.empty(), port(probe.object("tcpSocket"), ports)));
        }
        Fields http = probe.object("httpGet");
        String path = http.has("path") ? http.text("path") : "/";
        return Optional.of(new PodSpec.Probe(Optional.of(path), port(http, ports)));
    }

    /** A number, or the name of one of the pod's ports. */
    private static int port(Fields action, Map<String, Integer> ports) {
        if (!action.json("port").isTextual()) {
            return action.port("port");
        }
        Integer number = ports.get(action.text("port"));
        if (number == null) {
            action.problem("port", "a number, or one of the ports " + ports.keySet());
            return 0;
        }
        return number;
    }
}
