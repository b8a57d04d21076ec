package dev.nodepath.bench.testbed;

import dev.nodepath.endpoints.DetectLocal;
import dev.nodepath.endpoints.Endpoint;
import dev.nodepath.endpoints.NamespacedName;
import dev.nodepath.endpoints.Protocol;
import dev.nodepath.endpoints.ServicePort;
import dev.nodepath.endpoints.ServicePortName;
import dev.nodepath.endpoints.ServiceSnapshot;
import dev.nodepath.linux.address.Cidr;
import dev.nodepath.linux.address.IpAddress;
import dev.nodepath.proxy.iptables.IptablesConfig;
import dev.nodepath.proxy.nftables.NftablesConfig;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** Generates clusters: Services with one TCP port and the same number of endpoints each. */
public final class GeneratedClusters {
    private static final List<Cidr> CLUSTER_CIDRS = List.of(Cidr.parse("10.0.0.0/8"));

    /** The configuration of their proxy in iptables mode. */
    public static final IptablesConfig CONFIG =
            IptablesConfig.DEFAULTS.with(draft -> draft.detectLocal = new DetectLocal.ClusterCidr(CLUSTER_CIDRS));

    /** The same in nftables mode. */
    public static final NftablesConfig NFTABLES_CONFIG = NftablesConfig.DEFAULTS.with(draft -> {
        draft.nodeName = "n1";
        draft.detectLocal = new DetectLocal.ClusterCidr(CLUSTER_CIDRS);
    });

    private static final IpAddress CLUSTER_IP = IpAddress.parse("172.30.0.1");
    private static final IpAddress POD = IpAddress.parse("10.0.0.1");
    private static final IpAddress EXTRA_POD = IpAddress.parse("10.200.0.1");

    private GeneratedClusters() {}

    /** The only port of a Service, by the number of the Service. */
    public static ServicePortName name(int service) {
        return new ServicePortName(new NamespacedName("default", "service-" + service), "http", Protocol.TCP);
    }

    /** A snapshot of Services with this many endpoints each. */
    public static ServiceSnapshot of(int services, int endpoints) {
        return of(services, endpoints, -1);
    }

    /**
     * A snapshot of Services with this many endpoints each. The last endpoint of one Service is replaced by another.
     */
    public static ServiceSnapshot of(int services, int endpoints, int changedService) {
        Map<ServicePortName, List<Endpoint>> byName = new TreeMap<>();
        TreeMap<ServicePortName, ServicePort> ports = new TreeMap<>();
        for (int i = 0; i < services; i++) {
            ServicePortName name = name(i);
            ports.put(name, new ServicePort(name, List.of(CLUSTER_IP.plus(i)), 80, 0, List.of(), List.of()));
            List<Endpoint> ofService = new ArrayList<>();
            for (int j = 0; j < endpoints; j++) {
                boolean replaced = i == changedService && j == endpoints - 1;
                IpAddress pod = replaced ? EXTRA_POD : POD.plus((long) i * endpoints + j);
                ofService.add(Endpoint.ready(pod, 8080, "n1"));
            }
            byName.put(name, ofService);
        }
        return new ServiceSnapshot(ports, byName, new TreeMap<>());
    }
}
