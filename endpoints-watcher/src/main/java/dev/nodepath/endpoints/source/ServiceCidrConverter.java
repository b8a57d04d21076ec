package dev.nodepath.endpoints.source;

import dev.nodepath.endpoints.NamespacedName;
import dev.nodepath.endpoints.ServiceCidr;
import java.util.List;

/** Converts {@code networking.k8s.io/v1} ServiceCIDRs. */
public final class ServiceCidrConverter {
    private ServiceCidrConverter() {}

    /** A range of cluster IPs; none if it is being deleted, because its addresses are not allocated any more. */
    public static List<ServiceCidr> convert(NamespacedName name, Fields range) {
        return range.object("metadata").has("deletionTimestamp")
                ? List.of()
                : List.of(new ServiceCidr(name.name(), range.object("spec").cidrs("cidrs")));
    }
}
