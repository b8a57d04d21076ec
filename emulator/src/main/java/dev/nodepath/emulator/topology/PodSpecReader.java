package dev.nodepath.emulator.topology;

import dev.nodepath.endpoints.NamespacedName;
import dev.nodepath.endpoints.source.manifests.ManifestException;
import dev.nodepath.endpoints.source.manifests.ManifestNode;
import dev.nodepath.endpoints.source.manifests.ManifestObject;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Reads a Pod ({@code v1}), as far as the emulator runs it: the first container's command and probe, the ports of all. */
final class PodSpecReader {
    private static final int PORT_MAX = 65535;

    private PodSpecReader() {}

    static PodSpec read(ManifestObject object, String node) throws ManifestException {
        ManifestNode root = object.root();
        List<ManifestNode> containers = root.get("spec").get("containers").items();
        Map<String, Integer> ports = ports(containers);
        List<String> command = new ArrayList<>();
        Optional<PodSpec.Probe> readiness = Optional.empty();
        if (!containers.isEmpty()) {
            command.addAll(containers.get(0).get("command").asStrings());
            command.addAll(containers.get(0).get("args").asStrings());
            readiness = probe(containers.get(0).get("readinessProbe"), ports);
        }
        return new PodSpec(
                new NamespacedName(object.namespace(), object.name()),
                node,
                root.get("metadata").get("labels").asStringMap(),
                command,
                ports,
                readiness);
    }

    private static Map<String, Integer> ports(List<ManifestNode> containers) throws ManifestException {
        Map<String, Integer> ports = new LinkedHashMap<>();
        for (ManifestNode container : containers) {
            for (ManifestNode port : container.get("ports").items()) {
                int number = port.get("containerPort").asInt(1, PORT_MAX);
                String name = port.get("name").asString(String.valueOf(number));
                if (ports.put(name, number) != null) {
                    throw port.get("name").expected("a name that no other port of the Pod has");
                }
            }
        }
        return ports;
    }

    private static Optional<PodSpec.Probe> probe(ManifestNode probe, Map<String, Integer> ports)
            throws ManifestException {
        if (probe.isAbsent()) {
            return Optional.empty();
        }
        ManifestNode http = probe.get("httpGet");
        ManifestNode tcp = probe.get("tcpSocket");
        if (http.isAbsent() == tcp.isAbsent()) {
            throw probe.problem("(expected: either httpGet or tcpSocket)");
        }
        return http.isAbsent()
                ? Optional.of(new PodSpec.Probe(Optional.empty(), port(tcp.get("port"), ports)))
                : Optional.of(
                        new PodSpec.Probe(Optional.of(http.get("path").asString("/")), port(http.get("port"), ports)));
    }

    /** A number, or the name of one of the pod's ports. */
    private static int port(ManifestNode node, Map<String, Integer> ports) throws ManifestException {
        if (node.json().isTextual()) {
            Integer number = ports.get(node.asString());
            if (number == null) {
                throw node.expected("a number, or one of the ports " + ports.keySet());
            }
            return number;
        }
        return node.asInt(1, PORT_MAX);
    }
}
