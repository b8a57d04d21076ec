package dev.nodepath.dns;

/**
 * The settings of a zone.
 *
 * @param apex the cluster's domain
 * @param dnsService the Service of the DNS servers; its addresses are those of the zone's name server
 */
public record ZoneConfig(DomainName apex, ServiceName dnsService) {
    /** {@code cluster.local}, served by {@code kube-system/kube-dns}, as the specification asks. */
    public static final ZoneConfig DEFAULT =
            new ZoneConfig(DomainName.of("cluster.local"), new ServiceName("kube-system", "kube-dns"));

    DomainName serviceName(ServiceName service) {
        return apex.below(service.name(), service.namespace(), "svc");
    }
}
