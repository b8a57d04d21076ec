package dev.nodepath.endpoints;

import dev.nodepath.linux.address.Cidr;
import java.util.List;

/**
 * A range that the API server takes cluster IPs from: a ServiceCIDR ({@code networking.k8s.io/v1}, KEP-1880).
 *
 * @param name {@code metadata.name}
 * @param cidrs {@code spec.cidrs}: one network, or one of each family
 */
public record ServiceCidr(String name, List<Cidr> cidrs) {
    public ServiceCidr {
        cidrs = List.copyOf(cidrs);
    }
}
