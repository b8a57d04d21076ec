package dev.nodepath.proxy.iptables;

import dev.nodepath.endpoints.ChangeSet;
import dev.nodepath.endpoints.ServiceProxy;
import dev.nodepath.endpoints.ServiceSnapshot;
import dev.nodepath.endpoints.SyncException;
import dev.nodepath.linux.Errno;
import dev.nodepath.linux.IpFamily;
import dev.nodepath.linux.LinuxNetException;
import dev.nodepath.linux.NetworkNamespace;
import dev.nodepath.linux.iptables.Iptables;
import dev.nodepath.linux.iptables.IptablesException;
import dev.nodepath.linux.iptables.RuleApplier;
import dev.nodepath.linux.iptables.RuleSet;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
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
    private final Map<IpFamily, RuleApplier> appliers = new EnumMap<>(IpFamily.class);
    private final NetworkNamespace namespace;
    private boolean localnetLeft;

    /**
     * A proxy that has not written anything yet.
     *
     * @param config what shapes the rules
     * @param commands one for each family that is to be served
     * @param namespace where the commands work too; its settings are changed
     */
    public IptablesProxy(IptablesConfig config, List<Iptables> commands, NetworkNamespace namespace) {
        this.config = config;
        this.namespace = namespace;
        commands.forEach(iptables -> appliers.put(iptables.family(), new RuleApplier(iptables, Chains.OWNED)));
    }

    /**
     * Brings both families in line; a failure of one does not keep the other from it. If nothing has changed it looks at what
     * is in force, and mends what others have removed.
     */
    @Override
    public void sync(ServiceSnapshot desired, ChangeSet changed) throws SyncException {
        SyncException failure = null;
        for (Map.Entry<IpFamily, RuleApplier> applier : appliers.entrySet()) {
            IpFamily family = applier.getKey();
            try {
                RuleSet rules = IptablesRules.of(desired, onThisHost(), family);
                bringIntoForce(applier.getValue(), rules, changed.isEmpty(), family);
                routeLocalnet(family, desired);
            } catch (IptablesException | LinuxNetException e) {
                failure = failed(family, e, failure);
            }
        }
        if (failure != null) {
            throw failure;
        }
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

    private static void bringIntoForce(RuleApplier applier, RuleSet rules, boolean unchanged, IpFamily family)
            throws IptablesException {
        if (!unchanged) {
            applier.apply(rules);
        } else if (applier.repair(rules)) {
            LOG.atWarn().addKeyValue("family", family).log("rules.repaired");
        }
    }

    /** The configuration with what only the host knows. */
    private IptablesConfig onThisHost() throws LinuxNetException {
        IptablesConfig host = config.withDropInvalid(config.dropInvalid() && !acceptsInvalid());
        return config.nodePortAddresses().equals(NodePortAddresses.ALL)
                ? host
                : host.withHostAddresses(namespace.addresses().stream()
                        .map(found -> found.address().address())
                        .toList());
    }

    /** Whether conntrack is told to let packets out of sequence pass; a kernel without the setting never does. */
    private boolean acceptsInvalid() {
        try {
            return !namespace.sysctl(TCP_BE_LIBERAL).equals("0");
        } catch (LinuxNetException e) {
            return false;
        }
    }

    /**
     * Only once the rules are in force, as one of them keeps strangers from what listens on 127.0.0.1; and only if it is not
     * set, as it may be where it cannot be written.
     */
    private void routeLocalnet(IpFamily family, ServiceSnapshot desired) throws LinuxNetException {
        if (family == IpFamily.IPV4
                && config.localhostNodePorts()
                && config.nodePortAddresses().includeLocalhost(desired.nodes().get(config.nodeName()))
                && !namespace.sysctl(ROUTE_LOCALNET).equals("1")) {
            try {
                namespace.setSysctl(ROUTE_LOCALNET, "1");
            } catch (LinuxNetException e) {
                leaveLocalnet(e);
            }
        }
    }

    /** Where /proc/sys is read-only, as in many containers, everything but node ports on 127.0.0.1 works. */
    private void leaveLocalnet(LinuxNetException refusal) throws LinuxNetException {
        if (refusal.errno() != Errno.EROFS) {
            throw refusal;
        }
        if (!localnetLeft) {
            localnetLeft = true;
            LOG.atWarn()
                    .addKeyValue("setting", ROUTE_LOCALNET)
                    .addKeyValue("error", refusal.getMessage())
                    .log("proxy.localhost_node_ports_off");
        }
    }

    private static SyncException failed(IpFamily family, Exception cause, @Nullable SyncException earlier) {
        SyncException failure = new SyncException(family + " rules: " + cause.getMessage(), cause);
        if (earlier == null) {
            return failure;
        }
        earlier.addSuppressed(failure);
        return earlier;
    }
}
