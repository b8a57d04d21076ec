package dev.nodepath.emulator.topology;

import dev.nodepath.endpoints.NamespacedName;
import dev.nodepath.endpoints.Protocol;
import dev.nodepath.endpoints.source.manifests.ManifestException;
import dev.nodepath.endpoints.source.manifests.ManifestObject;
import dev.nodepath.endpoints.source.objects.Fields;
import dev.nodepath.linux.address.IpAddress;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/** Reads what the endpoints controller needs of a Service ({@code v1}), beyond what proxies read. */
final class ServiceSpecReader {
    private static final List<String> PROTOCOLS = List.of("TCP", "UDP", "SCTP");

    private ServiceSpecReader() {}

    static ServiceSpec read(ManifestObject object) throws ManifestException {
        return object.read(root -> read(new NamespacedName(object.namespace(), object.name()), root.object("spec")));
    }

    private static ServiceSpec read(NamespacedName name, Fields spec) {
        List<ServiceSpec.Port> ports = new ArrayList<>();
        for (Fields port : spec.objects("ports")) {
            int number = port.port("port");
            ports.add(new ServiceSpec.Port(
                    port.text("name"),
                    Protocol.valueOf(port.oneOf("protocol", PROTOCOLS)),
                    number,
                    targetPort(port, number),
                    port.optionalPort("nodePort")));
        }
        return new ServiceSpec(name, clusterIps(spec), spec.textMap("selector"), ports);
    }

    /** {@code clusterIPs}, whose first is {@code clusterIP}; that alone will do. */
    private static List<IpAddress> clusterIps(Fields spec) {
        Set<IpAddress> addresses = new LinkedHashSet<>();
        spec.ip("clusterIP").ifPresent(addresses::add);
        addresses.addAll(spec.ips("clusterIPs"));
        if (addresses.stream().map(IpAddress::family).distinct().count() < addresses.size()) {
            spec.problem("clusterIPs", addresses, "one of each family, clusterIP the first");
        }
        return List.copyOf(addresses);
    }

    private static String targetPort(Fields port, int number) {
        if (!port.has("targetPort")) {
            return String.valueOf(number);
        }
        return port.json("targetPort").isTextual()
                ? port.requiredText("targetPort")
                : String.valueOf(port.port("targetPort"));
    }
}
