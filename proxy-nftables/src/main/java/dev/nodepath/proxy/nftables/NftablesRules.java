package dev.nodepath.proxy.nftables;

import dev.nodepath.endpoints.ConnectionCount;
import dev.nodepath.endpoints.ServicePort;
import dev.nodepath.endpoints.ServicePortName;
import dev.nodepath.endpoints.ServiceReach;
import dev.nodepath.endpoints.ServiceSnapshot;
import dev.nodepath.linux.address.IpFamily;
import dev.nodepath.linux.nftables.DesiredTable;
import dev.nodepath.linux.nftables.NftFamily;
import dev.nodepath.linux.nftables.NftTable;
import dev.nodepath.linux.nftables.NftTableState;
import dev.nodepath.linux.nftables.TableGroup;
import java.util.Optional;

/** The rules of a snapshot in one family, as kube-proxy's nftables mode has them. */
public final class NftablesRules {
    private static final NftTable IPV4 = new NftTable(NftFamily.IPV4, "kube-proxy");
    private static final NftTable IPV6 = new NftTable(NftFamily.IPV6, "kube-proxy");

    private NftablesRules() {}

    /** The table of a family. kube-proxy's table has the same name, so each program finds the other's leftovers. */
    public static NftTable table(IpFamily family) {
        return family == IpFamily.IPV4 ? IPV4 : IPV6;
    }

    /** The whole table. Where two service ports claim the same key, the first in order has its way. */
    static NftTableState of(ServiceSnapshot snapshot, NftablesContext context) {
        DesiredTable<ServicePortName> table = new DesiredTable<>(frame(context));
        for (ServicePortName name : snapshot.services().keySet()) {
            group(snapshot, context, name).ifPresent(group -> table.add(name, group));
        }
        return table.state();
    }

    /** The permanent chains and sets, whatever the Services. */
    static NftTableState frame(NftablesContext context) {
        return new Frame(context).table();
    }

    /** The names of the chains of endpoints. */
    static ConnectionCount.Chains endpointChains() {
        return service -> new NftablesNames(service)::endpoint;
    }

    /** The rules of one service port; empty if there is no such port, or it has no cluster IP of the family. */
    static Optional<TableGroup> group(ServiceSnapshot snapshot, NftablesContext context, ServicePortName name) {
        ServicePort service = snapshot.services().get(name);
        IpFamily family = context.family();
        if (service == null || service.clusterIps(family).isEmpty()) {
            return Optional.empty();
        }
        ServiceReach reach = ServiceReach.of(
                snapshot, service, family, context.config().common().nodeName());
        return Optional.of(new ServiceRules(context, reach).group());
    }
}
