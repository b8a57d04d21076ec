package dev.nodepath.dns.zone;

/**
 * What a zone is told.
 *
 * @param apex the cluster's domain
 * @param dnsService the Service of the DNS servers: the zone's name server has its addresses
 * @param namesOfEmptyServices whether a headless Service without ready endpoints has a name without records, as with
 *     CoreDNS. Otherwise the name does not exist, as the specification asks
 */
public record ZoneConfig(DomainName apex, ServiceName dnsService, boolean namesOfEmptyServices) {
    /** {@code cluster.local}, served by {@code kube-system/kube-dns}, as the specification asks. */
    public static final ZoneConfig DEFAULT =
            new ZoneConfig(DomainName.of("cluster.local"), new ServiceName("kube-system", "kube-dns"), false);

    DomainName serviceName(ServiceName service) {
        return apex.below(service.name(), service.namespace(), "svc");
    }
}
