package dev.nodepath.endpoints;

import java.util.Comparator;

/**
 * The name of a port of a Service, which is the unit of proxies. Its text is {@code namespace/name:port}, as in
 * kube-proxy.
 *
 * @param service the Service
 * @param port the port's name; empty if it has none
 * @param protocol the transport protocol. It is part of the identity, because a port may change its protocol
 */
public record ServicePortName(NamespacedName service, String port, Protocol protocol)
        implements Comparable<ServicePortName> {
    private static final Comparator<ServicePortName> ORDER = Comparator.comparing(ServicePortName::service)
            .thenComparing(ServicePortName::port)
            .thenComparing(ServicePortName::protocol);

    @Override
    public int compareTo(ServicePortName other) {
        return ORDER.compare(this, other);
    }

    /** {@code namespace/name:port}, or {@code namespace/name} for an unnamed port. */
    @Override
    public String toString() {
        return port.isEmpty() ? service.toString() : service + ":" + port;
    }

    /** The name with its protocol, such as {@code default/web:http/tcp}. No two service ports share it. */
    public String withProtocol() {
        return this + "/" + protocol.lowerCase();
    }
}
