package dev.nodepath.endpoints;

import java.util.List;

/**
 * A Service ({@code v1}), with the fields that a proxy needs.
 *
 * @param name namespace and name
 * @param ports its ports, no two with the same name; empty if there is nothing to proxy: headless, ExternalName,
 *     without a cluster IP yet, or without ports
 */
public record Service(NamespacedName name, List<ServicePort> ports) {
    public Service {
        ports = List.copyOf(ports);
    }
}
