package dev.nodepath.proxy.iptables;

import dev.nodepath.endpoints.ChangeSet;
import dev.nodepath.endpoints.NodePortAddresses;
import dev.nodepath.endpoints.ServiceProxy;
import dev.nodepath.endpoints.ServiceSnapshot;
import dev.nodepath.endpoints.SyncException;
import dev.nodepath.linux.address.IpFamily;
import dev.nodepath.linux.iptables.apply.RuleApplier;
import dev.nodepath.linux.iptables.command.Iptables;
import dev.nodepath.linux.iptables.command.IptablesException;
import dev.nodepath.linux.iptables.rule.OwnedChains;
import dev.nodepath.linux.iptables.rule.Table;
import dev.nodepath.linux.namespace.NetworkNamespace;
import dev.nodepath.linux.nfacct.PacketCounters;
import dev.nodepath.linux.syscall.LinuxNetException;
import dev.nodepath.proxy.iptables.rules.Chains;
import dev.nodepath.proxy.iptables.rules.CountedPackets;
import dev.nodepath.proxy.iptables.rules.IptablesConfig;
import java.time.InstantSource;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The iptables mode: the kernel's rules carry the traffic, this only writes them. They stay when it is closed, and a
 * new process takes them over without a gap.
 */
public final class IptablesProxy implements ServiceProxy {
    private static final Logger LOG = LoggerFactory.getLogger(IptablesProxy.class);
    private static final String ROUTE_LOCALNET = "net/ipv4/conf/all/route_localnet";
    private static final String TCP_BE_LIBERAL = "net/netfilter/nf_conntrack_tcp_be_liberal";

    private final IptablesConfig config;
    private final List<FamilySync> families;
    private final NetworkNamespace namespace;
    private final Optional<PacketCounters> counters;
    private boolean localnetLeft;
    private boolean countersLeft;

    /** A proxy that has not written anything yet, whose rules name no counters. */
    public IptablesProxy(IptablesConfig config, List<Iptables> commands, NetworkNamespace namespace) {
        this(config, commands, namespace, Optional.empty());
    }

    /**
     * A proxy that has not written anything yet.
     *
     * @param config what shapes the rules
     * @param commands one for each family that is to be served
     * @param namespace where the commands work too; its settings are changed
     * @param counters those of the same namespace, where {@link CountedPackets} are to be counted if the kernel can
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
                .map(iptables -> new FamilySync(iptables, counters, InstantSource.system()))
                .toList();
    }

    /**
     * Brings both families in line; a failure of one does not keep the other from it. If others have changed the tables
     * meanwhile it looks at them, and mends what is wrong.
     *
     * @throws SyncException if one failed; it names those that did not
     */
    @Override
    public void sync(ServiceSnapshot desired, ChangeSet changed) throws SyncException {
        IptablesConfig host;
        try {
            host = onThisHost();
        } catch (LinuxNetException e) {
            throw new SyncException("host: " + e.getMessage(), e);
        }
        Set<IpFamily> inForce = EnumSet.noneOf(IpFamily.class);
        Map<IpFamily, Exception> failures = new EnumMap<>(IpFamily.class);
        for (FamilySync family : families) {
            try {
                family.sync(desired, changed, host);
                inForce.add(family.family());
                routeLocalnet(family.family(), desired);
            } catch (IptablesException | RuntimeException e) {
                failures.put(family.family(), e);
            }
        }
        throwIfAny(failures, inForce);
    }

    @Override
    public long fullSyncs(IpFamily family) {
        return stats(family).fullSyncs();
    }

    /** What the syncs of a family have done; may be asked by any thread. Nothing for a family that is not served. */
    public FamilySyncStats stats(IpFamily family) {
        for (FamilySync sync : families) {
            if (sync.family() == family) {
                return sync.stats();
            }
        }
        return FamilySyncStats.NONE;
    }

    /**
     * What the rules have counted since the counter was made, which outlives this process; empty where nothing is counted. May
     * be asked by any thread.
     */
    public OptionalLong packets(CountedPackets counted) {
        try {
            return counters.isPresent() ? counters.get().packets(counted.counter()) : OptionalLong.empty();
        } catch (LinuxNetException e) {
            return OptionalLong.empty();
        }
    }

    /** Whether chains of another mode may be in the tables, as far as the last listing of them showed; lists nothing itself. */
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
     * {@code KUBE-FIREWALL}, which the kubelet uses too, stays.
     *
     * @throws IptablesException if that failed
     */
    public static void removeRules(Iptables iptables) throws IptablesException {
        new RuleApplier(iptables, Chains.OWNED).remove();
    }

    /** The configuration with what only the host knows. */
    private IptablesConfig onThisHost() throws LinuxNetException {
        IptablesConfig host = config.withDropInvalid(config.dropInvalid() && !acceptsInvalid())
                .withCounters(hasCounters());
        return config.nodePortAddresses().equals(NodePortAddresses.ALL)
                ? host
                : host.withHostAddresses(namespace.hostAddresses());
    }

    /** Whether conntrack is told to let packets out of sequence pass; a kernel without the setting never does. */
    private boolean acceptsInvalid() {
        try {
            return !namespace.sysctl(TCP_BE_LIBERAL).equals("0");
        } catch (LinuxNetException e) {
            return false;
        }
    }

    /** Made at each sync, as a rule would be refused whose counter somebody has removed with the rules. */
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
                LOG.atInfo().addKeyValue("error", e.getMessage()).log("rules.not_counted");
            }
            return false;
        }
    }

    /**
     * Only once the rules are in force, as one of them keeps strangers from what listens on 127.0.0.1; and only if it is not
     * set, as it may be where it cannot be written. There everything but node ports on 127.0.0.1 works; each sync tries again.
     */
    private void routeLocalnet(IpFamily family, ServiceSnapshot desired) {
        if (family != IpFamily.IPV4
                || !config.localhostNodePorts()
                || !config.nodePortAddresses().includeLocalhost(desired.nodes().get(config.nodeName()))) {
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

    private static void throwIfAny(Map<IpFamily, Exception> failures, Set<IpFamily> inForce) throws SyncException {
        List<SyncException> all = failures.entrySet().stream()
                .map(failed -> new SyncException(
                        failed.getKey() + " rules: " + words(failed.getValue()), failed.getValue(), inForce))
                .toList();
        if (!all.isEmpty()) {
            all.subList(1, all.size()).forEach(all.get(0)::addSuppressed);
            throw all.get(0);
        }
    }

    private static String words(Exception e) {
        return e instanceof IptablesException ? String.valueOf(e.getMessage()) : e.toString();
    }
}
