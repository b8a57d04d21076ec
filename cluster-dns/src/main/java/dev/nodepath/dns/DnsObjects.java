package dev.nodepath.dns;

import com.fasterxml.jackson.databind.JsonNode;
import dev.nodepath.linux.address.IpAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** Reads the fields of API objects that DNS needs. An unusable object causes an IllegalArgumentException. */
final class DnsObjects {
    private static final String SERVICE_NAME = "kubernetes.io/service-name";
    private static final String NONE = "None";
    private static final int PORT_MAX = 65535;

    private DnsObjects() {}

    static ServiceName name(JsonNode object) {
        return new ServiceName(namespace(object), text(object.at("/metadata/name")));
    }

    /** The Service of a slice; its name is empty if the slice names none. */
    static ServiceName serviceOf(JsonNode slice) {
        return new ServiceName(
                namespace(slice), text(slice.at("/metadata/labels").path(SERVICE_NAME)));
    }

    static DnsService service(JsonNode object) {
        JsonNode spec = object.path("spec");
        DnsService.Kind kind = kind(spec);
        List<IpAddress> clusterIps = kind == DnsService.Kind.CLUSTER_IP ? clusterIps(spec) : List.of();
        String externalName = text(spec.path("externalName"));
        if (kind == DnsService.Kind.EXTERNAL_NAME) {
            DomainName target = DomainName.of(externalName);
            require(
                    target.isValid() && target.size() > 0 && !target.isAddress(),
                    "spec.externalName",
                    externalName,
                    "a domain name, no address");
        }
        return new DnsService(
                name(object),
                kind,
                clusterIps,
                externalName,
                ports(spec.path("ports"), "spec.ports"),
                spec.path("publishNotReadyAddresses").asBoolean(false));
    }

    static List<DnsEndpoint> endpoints(JsonNode slice) {
        if (text(slice.path("addressType")).equals("FQDN")) {
            return List.of();
        }
        List<DnsPort> ports = ports(slice.path("ports"), "ports");
        List<DnsEndpoint> endpoints = new ArrayList<>();
        for (JsonNode each : slice.path("endpoints")) {
            String hostname = text(each.path("hostname"));
            require(
                    hostname.isEmpty() || isLabel(hostname),
                    "endpoints.hostname",
                    hostname,
                    "one label of a domain name");
            boolean ready = each.at("/conditions/ready").asBoolean(true);
            for (JsonNode address : each.path("addresses")) {
                endpoints.add(new DnsEndpoint(address("endpoints.addresses", text(address)), hostname, ready, ports));
            }
        }
        return endpoints;
    }

    private static DnsService.Kind kind(JsonNode spec) {
        if (text(spec.path("type")).equals("ExternalName")) {
            return DnsService.Kind.EXTERNAL_NAME;
        }
        boolean headless = text(spec.path("clusterIP")).equals(NONE)
                || text(spec.at("/clusterIPs/0")).equals(NONE);
        return headless ? DnsService.Kind.HEADLESS : DnsService.Kind.CLUSTER_IP;
    }

    private static List<IpAddress> clusterIps(JsonNode spec) {
        List<IpAddress> addresses = new ArrayList<>();
        spec.path("clusterIPs").forEach(each -> addresses.add(address("spec.clusterIPs", text(each))));
        String first = text(spec.path("clusterIP"));
        if (addresses.isEmpty() && !first.isEmpty()) {
            addresses.add(address("spec.clusterIP", first));
        }
        return addresses;
    }

    private static List<DnsPort> ports(JsonNode ports, String field) {
        List<DnsPort> read = new ArrayList<>();
        for (JsonNode each : ports) {
            int port = each.path("port").asInt(0);
            String name = text(each.path("name"));
            String protocol = each.path("protocol").asText("TCP").toLowerCase(Locale.ROOT);
            require(port >= 0 && port <= PORT_MAX, field + ".port", String.valueOf(port), "0 to 65535");
            require(name.isEmpty() || isLabel("_" + name), field + ".name", name, "one label of a domain name");
            if (port > 0) {
                read.add(new DnsPort(name, protocol, port));
            }
        }
        return read;
    }

    private static IpAddress address(String field, String text) {
        try {
            return IpAddress.parse(text);
        } catch (IllegalArgumentException e) {
            throw new IllegalArgumentException(field + ": " + e.getMessage(), e);
        }
    }

    private static boolean isLabel(String text) {
        return text.indexOf('.') < 0 && DomainName.of(text).isValid();
    }

    private static void require(boolean condition, String field, String was, String expected) {
        if (!condition) {
            throw new IllegalArgumentException(field + ": \"" + was + "\" (expected: " + expected + ")");
        }
    }

    private static String namespace(JsonNode object) {
        return text(object.at("/metadata/namespace"));
    }

    private static String text(JsonNode node) {
        return node.asText("");
    }
}
