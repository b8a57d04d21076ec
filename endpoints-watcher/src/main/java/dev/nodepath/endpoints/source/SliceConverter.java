package dev.nodepath.endpoints.source;

import dev.nodepath.endpoints.EndpointSlice;
import dev.nodepath.endpoints.EndpointSlice.Address;
import dev.nodepath.endpoints.EndpointSlice.Port;
import dev.nodepath.endpoints.EndpointState;
import dev.nodepath.endpoints.NamespacedName;
import dev.nodepath.endpoints.Protocol;
import dev.nodepath.endpoints.TopologyHints;
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
 * Converts {@code discovery.k8s.io/v1} EndpointSlices and {@code v1} Endpoints. It leaves out unusable entries, and
 * takes the rest of the object. Not thread-safe.
 */
public final class SliceConverter {
    private static final String SERVICE_NAME = "kubernetes.io/service-name";
    private static final String TRIGGER_TIME = "endpoints.kubernetes.io/last-change-trigger-time";

    private static final List<String> ADDRESS_TYPES = List.of("IPv4", "IPv6", "FQDN");

    private final SharedValues values = new SharedValues();

    /** Converts slices. */
    public SliceConverter() {}

    /** Converts an EndpointSlice. A slice of FQDNs, or one without a Service, gives an empty list. */
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
            // All addresses of an endpoint belong to one pod. The first one is used, as in kube-proxy.
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

    /**
     * The conditions of an endpoint. An absent serving condition is true, as in kube-proxy; the API documents the value
     * of ready.
     */
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

    private List<Port> ports(Fields from) {
        List<Port> ports = new ArrayList<>();
        Set<String> names = new HashSet<>();
        for (Fields port : from.objects("ports")) {
            String name = port.text("name");
            // A port without a number means all ports. A proxy cannot use that.
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
            object.object("metadata").object("annotations").problem(TRIGGER_TIME, "a time as in RFC 3339");
            return Optional.empty();
        }
    }
}
