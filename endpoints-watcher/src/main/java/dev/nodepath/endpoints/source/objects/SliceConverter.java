package dev.nodepath.endpoints.source.objects;

import dev.nodepath.endpoints.EndpointState;
import dev.nodepath.endpoints.NamespacedName;
import dev.nodepath.endpoints.Protocol;
import dev.nodepath.endpoints.TopologyHints;
import dev.nodepath.endpoints.tracker.EndpointSlice;
import dev.nodepath.endpoints.tracker.EndpointSlice.Address;
import dev.nodepath.endpoints.tracker.EndpointSlice.Port;
import dev.nodepath.linux.address.IpAddress;
import dev.nodepath.linux.address.IpFamily;
import java.time.DateTimeException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * From {@code discovery.k8s.io/v1} EndpointSlices, or {@code v1} Endpoints, to our records. An entry that cannot be used is
 * left out and the rest of its object is taken. For one thread.
 */
public final class SliceConverter {
    private static final String SERVICE_NAME = "kubernetes.io/service-name";
    private static final String TRIGGER_TIME = "endpoints.kubernetes.io/last-change-trigger-time";

    private static final List<String> ADDRESS_TYPES = List.of("IPv4", "IPv6", "FQDN");

    private final SharedValues values = new SharedValues();

    /** Converts slices. */
    public SliceConverter() {}

    /** An EndpointSlice; nothing if no proxy uses it: one of FQDNs, or one that names no Service. */
    public List<EndpointSlice> slice(NamespacedName name, Fields slice) {
        String service = slice.metadata("labels", SERVICE_NAME);
        String type = slice.text("addressType");
        if (!ADDRESS_TYPES.contains(type)) {
            slice.problem("addressType", "IPv4, IPv6, FQDN");
            return List.of();
        }
        if (service.isEmpty() || type.equals("FQDN")) {
            return List.of();
        }
        IpFamily family = type.equals("IPv4") ? IpFamily.IPV4 : IpFamily.IPV6;
        List<Address> addresses = new ArrayList<>();
        for (Fields endpoint : slice.objects("endpoints")) {
            // The addresses of an endpoint are the same pod's; as kube-proxy does, the first one is used.
            Optional<IpAddress> ip = endpoint.firstIp("addresses");
            if (ip.isPresent() && ip.get().family() != family) {
                endpoint.problem("addresses", ip.get().toString(), "an " + type + " address");
            } else if (ip.isPresent()) {
                addresses.add(new Address(ip.get(), values.shared(state(endpoint))));
            }
        }
        return List.of(new EndpointSlice(
                name, new NamespacedName(name.namespace(), service), ports(slice), addresses, trigger(slice)));
    }

    /** Endpoints, as slices: one for each subset and family. They are named after the Service. */
    public List<EndpointSlice> endpoints(NamespacedName name, Fields endpoints) {
        List<EndpointSlice> slices = new ArrayList<>();
        Optional<Instant> trigger = trigger(endpoints);
        for (Fields subset : endpoints.objects("subsets")) {
            List<Port> ports = ports(subset);
            List<Address> addresses = new ArrayList<>();
            addresses(subset, "addresses", true, addresses);
            addresses(subset, "notReadyAddresses", false, addresses);
            for (IpFamily family : IpFamily.values()) {
                List<Address> ofFamily = addresses.stream()
                        .filter(address -> address.ip().family() == family)
                        .toList();
                if (!ofFamily.isEmpty()) {
                    // No slice has a slash in its name, so this one is nobody else's.
                    NamespacedName part = new NamespacedName(name.namespace(), name.name() + "/" + slices.size());
                    slices.add(new EndpointSlice(part, name, ports, ofFamily, trigger));
                }
            }
        }
        return slices;
    }

    /** What is not said of serving is true, as kube-proxy has it; the API would have it be what is said of readiness. */
    private EndpointState state(Fields endpoint) {
        Fields conditions = endpoint.object("conditions");
        boolean ready = conditions.flag("ready", true);
        return new EndpointState(
                values.shared(endpoint.text("nodeName")),
                ready,
                conditions.flag("serving", true),
                conditions.flag("terminating", false),
                hints(endpoint.object("hints")));
    }

    private TopologyHints hints(Fields hints) {
        return TopologyHints.of(names(hints.objects("forZones")), names(hints.objects("forNodes")));
    }

    private List<String> names(List<Fields> of) {
        return of.stream().map(one -> values.shared(one.text("name"))).toList();
    }

    private void addresses(Fields subset, String field, boolean ready, List<Address> to) {
        for (Fields address : subset.objects(field)) {
            address.ip("ip")
                    .ifPresent(ip -> to.add(new Address(
                            ip,
                            values.shared(new EndpointState(
                                    address.text("nodeName"), ready, ready, false, TopologyHints.NONE)))));
        }
    }

    private List<Port> ports(Fields from) {
        List<Port> ports = new ArrayList<>();
        Set<String> names = new HashSet<>();
        for (Fields port : from.objects("ports")) {
            String name = port.text("name");
            // A port without a number means all ports, which a proxy has no use for.
            if (port.has("port")) {
                Optional<Protocol> protocol = ServiceConverter.protocol(port);
                int number = port.port("port");
                if (protocol.isEmpty() || number == 0) {
                    continue;
                }
                if (!names.add(name)) {
                    port.problem("name", name, "a name that no other port of the slice has");
                } else {
                    ports.add(new Port(name, protocol.get(), number));
                }
            }
        }
        return values.shared(List.copyOf(ports));
    }

    private static Optional<Instant> trigger(Fields object) {
        String time = object.metadata("annotations", TRIGGER_TIME);
        try {
            return time.isEmpty() ? Optional.empty() : Optional.of(Rfc3339.parse(time));
        } catch (DateTimeException e) {
            object.problem("metadata.annotations[" + TRIGGER_TIME + "]", time, "a time as in RFC 3339");
            return Optional.empty();
        }
    }
}
