package dev.nodepath.proxy.iptables;

import dev.nodepath.endpoints.ChangeSet;
import dev.nodepath.endpoints.NodePortAddresses;
import dev.nodepath.endpoints.ServiceProxy;
import dev.nodepath.endpoints.ServiceSnapshot;
import dev.nodepath.endpoints.SyncException;
import dev.nodepath.endpoints.sync.RuleSyncStats;
import dev.nodepath.endpoints.sync.RuleSyncs;
import dev.nodepath.linux.address.IpFamily;
import dev.nodepath.linux.conntrack.PacketCounters;
import dev.nodepath.linux.iptables.Iptables;
import dev.nodepath.linux.iptables.IptablesException;
import dev.nodepath.linux.iptables.OwnedChains;
import dev.nodepath.linux.iptables.RuleApplier;
import dev.nodepath.linux.iptables.Table;
import dev.nodepath.linux.namespace.NetworkNamespace;
import dev.nodepath.linux.syscall.LinuxNetException;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The iptables mode. The kernel forwards the traffic by rules that this class writes. The rules stay when it is closed,
 * and a new process takes them over without a gap.
 */
public final class IptablesProxy implements ServiceProxy {
    private static final Logger LOG = LoggerFactory.getLogger(IptablesProxy.class);
    private static final String ROUTE_LOCALNET = "net/ipv4/conf/all/route_localnet";
    private static final String TCP_BE_LIBERAL = "net/netfilter/nf_conntrack_tcp_be_liberal";

    private final IptablesConfig config;
    private final List<IptablesWriter> families;
    private final RuleSyncs<IptablesConfig, RuleCounts> syncs;
    private final NetworkNamespace namespace;
    private final Optional<PacketCounters> counters;
    private boolean localnetLeft;
    private boolean countersLeft;

    /**
     * A proxy that has not written anything yet.
     *
     * @param config the options of the rules
     * @param commands the commands of each served family
     * @param namespace the namespace of the commands. Its sysctls are changed.
     * @param counters the counters of the namespace, to count {@link CountedPackets} if the kernel can
     */
    public IptablesProxy(
            IptablesConfig config,
            List<Iptables> commands,
            NetworkNamespace namespace,
            Optional<PacketCounters> counters) {
        this.config = config;
        this.namespace = namespace;
        this.counters = counters;
        this.families = commands.stream()
                .map(iptables -> new IptablesWriter(iptables, counters))
                .toList();
        this.syncs = new RuleSyncs<>(families, "rules", RuleCounts.NONE);
    }

    /**
     * Syncs both families, each even if the other fails. It repairs rules that other programs have changed.
     *
     * @throws SyncException if one failed; it names the failed ones
     */
    @Override
    public void sync(ServiceSnapshot desired, ChangeSet changed) throws SyncException {
        syncs.sync(desired, changed, this::onThisHost, family -> routeLocalnet(family, desired));
    }

    @Override
    public long fullSyncs(IpFamily family) {
        return stats(family).fullSyncs();
    }

    /** The counters of a family's syncs. For any thread. All zero for a family that is not served. */
    public RuleSyncStats<RuleCounts> stats(IpFamily family) {
        return syncs.stats(family);
    }

    /**
     * The packets counted since the counter was made, which outlives this process. Empty if nothing is counted. For any
     * thread.
     */
    public OptionalLong packets(CountedPackets counted) {
        try {
            return counters.isPresent() ? counters.get().packets(counted.counter()) : OptionalLong.empty();
        } catch (LinuxNetException e) {
            return OptionalLong.empty();
        }
    }

    /** Whether the last listing showed chains of another mode. True before the first listing. It runs no command. */
    public boolean maySee(OwnedChains others) {
        return families.stream().anyMatch(family -> family.maySee(others));
    }

    /**
     * Whether there are rules of this mode, or of kube-proxy's iptables mode, whose chains have the same names.
     *
     * @throws IptablesException if that cannot be told
     */
    public static boolean hasRules(Iptables iptables) throws IptablesException {
        return iptables.save(Table.NAT).contains(":" + Chains.SERVICES + " ");
    }

    /** Leaves the rules in place. */
    @Override
    public void close() {}

    /**
     * Removes all rules of this mode and of kube-proxy's iptables mode, whose chains have the same names. The chain
     * {@code KUBE-FIREWALL} stays, because the kubelet uses it too.
     *
     * @throws IptablesException if that failed
     */
    public static void removeRules(Iptables iptables) throws IptablesException {
        new RuleApplier(iptables, Chains.OWNED).remove();
    }

    /** The configuration with the values of this host. */
    private IptablesConfig onThisHost() throws LinuxNetException {
        IptablesConfig.Draft host = new IptablesConfig.Draft(config);
        host.dropInvalid &= !acceptsInvalid();
        host.counters = hasCounters();
        if (!host.nodePortAddresses.equals(NodePortAddresses.ALL)) {
            host.hostAddresses = namespace.hostAddresses();
        }
        return host.build();
    }

    /** Whether conntrack accepts packets out of sequence. False on a kernel without the setting. */
    private boolean acceptsInvalid() {
        try {
            return !namespace.sysctl(TCP_BE_LIBERAL).equals("0");
        } catch (LinuxNetException e) {
            return false;
        }
    }

    /** Makes the counters at each sync. The kernel refuses a rule whose counter was removed. */
    private boolean hasCounters() {
        if (counters.isEmpty()) {
            return false;
        }
        try {
            CountedPackets.createAll(counters.get());
            return true;
        } catch (LinuxNetException e) {
            if (!countersLeft) {
                countersLeft = true;
                LOG.atInfo().addKeyValue("error", e.getMessage()).log("rules.counters_unavailable");
            }
            return false;
        }
    }

    /**
     * Sets {@code route_localnet} after the rules are in force, because one of them protects 127.0.0.1 from neighbours.
     * It does not write a setting that is right already, because {@code /proc/sys} may be read-only. If that fails,
     * only node ports on 127.0.0.1 do not work, and each sync tries again.
     */
    private void routeLocalnet(IpFamily family, ServiceSnapshot desired) {
        if (family != IpFamily.IPV4
                || !config.localhostNodePorts()
                || !config.common()
                        .nodePortAddresses()
                        .includeLocalhost(desired.nodes().get(config.common().nodeName()))) {
            return;
        }
        try {
            if (!namespace.sysctl(ROUTE_LOCALNET).equals("1")) {
                namespace.setSysctl(ROUTE_LOCALNET, "1");
            }
        } catch (LinuxNetException e) {
            if (!localnetLeft) {
                localnetLeft = true;
                LOG.atWarn()
                        .addKeyValue("setting", ROUTE_LOCALNET)
                        .addKeyValue("error", e.getMessage())
                        .log("proxy.localhost_node_ports_off");
            }
        }
    }
}
