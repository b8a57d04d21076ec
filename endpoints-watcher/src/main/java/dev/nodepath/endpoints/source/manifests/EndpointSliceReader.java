package dev.nodepath.endpoints.source.manifests;

import dev.nodepath.endpoints.EndpointState;
import dev.nodepath.endpoints.NamespacedName;
import dev.nodepath.endpoints.TopologyHints;
import dev.nodepath.endpoints.tracker.EndpointSlice;
import dev.nodepath.endpoints.tracker.EndpointSlice.Address;
import dev.nodepath.endpoints.tracker.EndpointSlice.Port;
import dev.nodepath.linux.IpAddress;
import dev.nodepath.linux.IpFamily;
import java.time.DateTimeException;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** Reads an EndpointSlice ({@code discovery.k8s.io/v1}). */
final class EndpointSliceReader {
    private static final String API_VERSION = "discovery.k8s.io/v1";
    private static final String SERVICE_NAME = "kubernetes.io/service-name";
    private static final String TRIGGER_TIME = "endpoints.kubernetes.io/last-change-trigger-time";
    private static final List<String> ADDRESS_TYPES = List.of("IPv4", "IPv6", "FQDN");

    private EndpointSliceReader() {}

    /** Empty for a slice that no proxy uses: one of FQDNs, or one that names no Service. */
    static Optional<EndpointSlice> read(ManifestObject object) throws ManifestException {
        if (!object.apiVersion().equals(API_VERSION)) {
            throw object.root().get("apiVersion").expected(API_VERSION);
        }
        ManifestNode metadata = object.root().get("metadata");
        NamespacedName name =
                new NamespacedName(object.namespace(), metadata.get("name").asString());
        String service = metadata.get("labels").get(SERVICE_NAME).asString("");
        ManifestNode addressType = object.root().get("addressType");
        String type = addressType.isAbsent() ? "" : addressType.asOneOf(ADDRESS_TYPES, "");
        if (type.isEmpty()) {
            throw addressType.expected(String.join(", ", ADDRESS_TYPES));
        }
        if (service.isEmpty() || type.equals("FQDN")) {
            return Optional.empty();
        }
        IpFamily family = type.equals("IPv4") ? IpFamily.IPV4 : IpFamily.IPV6;
        return Optional.of(new EndpointSlice(
                name,
                new NamespacedName(name.namespace(), service),
                ports(object.root().get("ports")),
                addresses(object.root().get("endpoints"), family),
                trigger(metadata.get("annotations").get(TRIGGER_TIME))));
    }

    /** A port without a number means all ports, which a proxy has no use for. */
    private static List<Port> ports(ManifestNode list) throws ManifestException {
        List<Port> ports = new ArrayList<>();
        Set<String> names = new HashSet<>();
        for (ManifestNode port : list.items()) {
            String name = port.get("name").asString("");
            if (!names.add(name)) {
                throw port.get("name").expected("a name that no other port of the slice has");
            }
            int number = port.get("port").asInt(1, ServiceReader.MAX_PORT, 0);
            if (number != 0) {
                ports.add(new Port(name, ServiceReader.protocol(port.get("protocol")), number));
            }
        }
        return ports;
    }

    private static List<Address> addresses(ManifestNode endpoints, IpFamily family) throws ManifestException {
        List<Address> addresses = new ArrayList<>();
        for (ManifestNode endpoint : endpoints.items()) {
            ManifestNode conditions = endpoint.get("conditions");
            boolean ready = conditions.get("ready").asBoolean(true);
            addresses.add(new Address(
                    firstIp(endpoint.get("addresses"), family),
                    new EndpointState(
                            endpoint.get("nodeName").asString(""),
                            ready,
                            conditions.get("serving").asBoolean(ready),
                            conditions.get("terminating").asBoolean(false),
                            hints(endpoint.get("hints")))));
        }
        return addresses;
    }

    private static TopologyHints hints(ManifestNode hints) throws ManifestException {
        return TopologyHints.of(names(hints.get("forZones")), names(hints.get("forNodes")));
    }

    private static List<String> names(ManifestNode list) throws ManifestException {
        List<String> names = new ArrayList<>();
        for (ManifestNode item : list.items()) {
            names.add(item.get("name").asString());
        }
        return names;
    }

    /** The addresses of an endpoint are the same pod's; as kube-proxy does, the first one is used. */
    private static IpAddress firstIp(ManifestNode list, IpFamily family) throws ManifestException {
        List<ManifestNode> addresses = list.items();
        if (addresses.isEmpty()) {
            throw list.problem("empty (expected: at least one " + family + " address)");
        }
        List<IpAddress> ips = new ArrayList<>(addresses.size());
        for (ManifestNode address : addresses) {
            IpAddress ip = address.asIp();
            if (ip.family() != family) {
                throw address.expected("an " + family + " address");
            }
            ips.add(ip);
        }
        return ips.get(0);
    }

    private static Optional<Instant> trigger(ManifestNode annotation) throws ManifestException {
        if (annotation.isAbsent()) {
            return Optional.empty();
        }
        try {
            return Optional.of(OffsetDateTime.parse(annotation.asString()).toInstant());
        } catch (DateTimeException e) {
            throw annotation.expected("a time as in RFC 3339");
        }
    }
}
