package dev.nodepath.emulator.topology;

import dev.nodepath.endpoints.NamespacedName;
import dev.nodepath.endpoints.Protocol;
import dev.nodepath.endpoints.source.manifests.ManifestException;
import dev.nodepath.endpoints.source.manifests.ManifestNode;
import dev.nodepath.endpoints.source.manifests.ManifestObject;
import dev.nodepath.linux.address.IpAddress;
import java.util.ArrayList;
import java.util.List;

/** Reads what the endpoints controller needs of a Service ({@code v1}), beyond what proxies read. */
final class ServiceSpecReader {
    private static final int PORT_MAX = 65535;

    private ServiceSpecReader() {}

    static ServiceSpec read(ManifestObject object) throws ManifestException {
        ManifestNode spec = object.root().get("spec");
        List<ServiceSpec.Port> ports = new ArrayList<>();
        for (ManifestNode port : spec.get("ports").items()) {
            int number = port.get("port").asInt(1, PORT_MAX);
            ports.add(new ServiceSpec.Port(
                    port.get("name").asString(""),
                    Protocol.valueOf(port.get("protocol").asOneOf(List.of("TCP", "UDP", "SCTP"), "TCP")),
                    number,
                    targetPort(port.get("targetPort"), number),
                    port.get("nodePort").asInt(0, PORT_MAX, 0)));
        }
        return new ServiceSpec(
                new NamespacedName(object.namespace(), object.name()),
                clusterIps(spec),
                spec.get("selector").asStringMap(),
                ports);
    }

    /** {@code clusterIPs}, whose first is {@code clusterIP}; that alone will do. */
    private static List<IpAddress> clusterIps(ManifestNode spec) throws ManifestException {
        List<IpAddress> addresses =
                new ArrayList<>(List.of(spec.get("clusterIP").asIp()));
        for (ManifestNode address : spec.get("clusterIPs").items()) {
            if (!addresses.contains(address.asIp())) {
                addresses.add(address.asIp());
            }
        }
        if (addresses.stream().map(IpAddress::family).distinct().count() < addresses.size()) {
            throw spec.get("clusterIPs").problem(addresses + " (expected: one of each family, clusterIP the first)");
        }
        return addresses;
    }

    private static String targetPort(ManifestNode target, int port) throws ManifestException {
        if (target.isAbsent()) {
            return String.valueOf(port);
        }
        return target.json().isTextual() ? target.asString() : String.valueOf(target.asInt(1, PORT_MAX));
    }
}
