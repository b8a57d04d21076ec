package dev.nodepath.proxy.userspace.portals;

import dev.nodepath.endpoints.Protocol;
import dev.nodepath.linux.address.IpFamily;
import dev.nodepath.linux.iptables.apply.RuleApplier;
import dev.nodepath.linux.iptables.command.Iptables;
import dev.nodepath.linux.iptables.command.IptablesException;
import dev.nodepath.linux.iptables.rule.RuleGroup;
import dev.nodepath.linux.iptables.rule.Table;
import dev.nodepath.linux.iptables.text.SavedTable;
import dev.nodepath.proxy.userspace.metrics.RelayCount;
import dev.nodepath.proxy.userspace.metrics.RelayMetrics;
import java.io.IOException;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.IntPredicate;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The portal rules of one family in the kernel. A process takes the portals over when it starts. If the rules later
 * redirect to another live process, that process is the successor. Then this one writes no rules until the successor is
 * gone.
 */
public final class FamilyRules {
    private static final Logger LOG = LoggerFactory.getLogger(FamilyRules.class);
    private final Iptables iptables;
    private final RuleApplier applier;
    private final RelayMetrics metrics;
    private final IntPredicate ownTcp;
    private final IntPredicate ownUdp;
    private final OpenPorts openPorts = new OpenPorts();

    /** Portals that need the group of node ports. */
    private final Set<Portal.Key> nodePorts = new HashSet<>();

    private boolean served;
    private boolean standsDown;
    private long fullLooks;
    private SortedMap<String, String> refusedBefore = new TreeMap<>();

    /**
     * Makes the rules. It does not read the kernel's yet.
     *
     * @param ownTcp whether this process listens on a port
     * @param ownUdp the same for UDP
     */
    public FamilyRules(Iptables iptables, RelayMetrics metrics, IntPredicate ownTcp, IntPredicate ownUdp) {
        this.iptables = iptables;
        this.applier = applier(iptables);
        this.metrics = metrics;
        this.ownTcp = ownTcp;
        this.ownUdp = ownUdp;
    }

    /** The applier of this mode's chains. */
    public static RuleApplier applier(Iptables iptables) {
        return new RuleApplier(iptables, PortalRules.OWNED);
    }

    private IpFamily family() {
        return iptables.family();
    }

    /**
     * Changes the rules of some portals. Its cost is proportional to their number.
     *
     * @return whether the rules are in force; if not, {@link #bringIntoForce} must follow
     * @throws IptablesException if that failed
     */
    public boolean update(PortalRules rules, List<PortalChange> changes, int relayPort) throws IptablesException {
        Map<String, Optional<RuleGroup>> groups = new HashMap<>();
        boolean neededNodePorts = !nodePorts.isEmpty();
        for (PortalChange change : changes) {
            Portal after = change.after();
            Optional<RuleGroup> group = after == null ? Optional.empty() : Optional.of(rules.group(after));
            if (!rulesAreSame(change)) {
                groups.put(change.key().name().toString(), group);
            }
            note(change.key(), after != null && rules.needsNodePorts(after));
        }
        if (neededNodePorts == nodePorts.isEmpty()) {
            groups.put(
                    PortalRules.NODE_PORTS,
                    nodePorts.isEmpty() ? Optional.empty() : Optional.of(PortalRules.nodePorts(relayPort)));
        }
        if (groups.isEmpty()) {
            return true;
        }
        if (standsDown || !applier.isKnown() || !applier.isUntouched()) {
            return false;
        }
        try {
            applier.update(groups);
        } catch (IptablesException e) {
            LOG.atWarn()
                    .addKeyValue("family", family())
                    .addKeyValue("error", e.getMessage())
                    .log("rules.partial_sync_failed");
            return false;
        }
        reportRefused();
        return true;
    }

    /** Whether a change needs no rule. A change of endpoints alone needs none, as long as there are some. */
    private static boolean rulesAreSame(PortalChange change) {
        Portal before = change.before();
        Portal after = change.after();
        if (before == null || after == null || !before.leadsAs(after)) {
            return false;
        }
        for (ServiceEntry entry : ServiceEntry.values()) {
            if (before.serves(entry) != after.serves(entry)) {
                return false;
            }
        }
        return true;
    }

    private void note(Portal.Key portal, boolean needsNodePorts) {
        if (needsNodePorts) {
            nodePorts.add(portal);
        } else {
            nodePorts.remove(portal);
        }
    }

    /**
     * Brings the rules of all portals into force, unless a successor has the portals.
     *
     * @param repairs whether the snapshot is unchanged; then only rules that other programs have changed are repaired
     * @return the UDP ports of a dead process that rules redirected to; null if a successor has the portals
     * @throws IOException if that failed
     */
    @Nullable
    public Set<Integer> bringIntoForce(PortalRules rules, Collection<Portal> portals, boolean repairs)
            throws IOException {
        Set<Integer> gone = Set.of();
        if (!applier.isKnown() || standsDown || !applier.isUntouched()) {
            RedirectedPorts redirected = redirectedPorts();
            if (served && redirected.own().isEmpty() && openPorts.anyOf(redirected.others(), family())) {
                standDown();
                return null;
            }
            gone = redirected.othersUdp();
            fullLooks++;
        }
        nodePorts.clear();
        portals.forEach(portal -> note(portal.key(), rules.needsNodePorts(portal)));
        if (repairs || standsDown) {
            if (applier.repair(rules.all(portals))) {
                LOG.atWarn().addKeyValue("family", family()).log("rules.repaired");
            }
        } else {
            applier.apply(rules.all(portals));
        }
        served = true;
        standsDown = false;
        reportRefused();
        return gone;
    }

    /** How often all rules were brought into force after other programs may have changed them. */
    public long fullLooks() {
        return fullLooks;
    }

    private void standDown() {
        if (!standsDown) {
            standsDown = true;
            metrics.increment(RelayCount.PORTALS_TAKEN_OVER);
            LOG.atInfo().addKeyValue("family", family()).log("portal.taken_over");
        }
    }

    private void reportRefused() {
        SortedMap<String, String> refused = applier.refused();
        refused.forEach((portal, reason) -> {
            if (!Objects.equals(reason, refusedBefore.get(portal))) {
                LOG.atError()
                        .addKeyValue("service_port", portal)
                        .addKeyValue("error", reason)
                        .log("rules.service_refused");
            }
        });
        refusedBefore = refused;
    }

    /**
     * Removes the rules, unless another live process has replaced them with its own.
     *
     * @return whether another process has the portals
     * @throws IOException if that failed
     */
    public boolean remove() throws IOException {
        if (areSurelyOurs()) {
            applier.remove();
            return false;
        }
        // One listing shows whose rules these are, and which rules to remove.
        Map<Table, SavedTable> found = iptables.tables();
        RedirectedPorts redirected = RedirectedPorts.of(found.getOrDefault(Table.NAT, SavedTable.EMPTY), this::isOwn);
        if (openPorts.anyOf(redirected.others(), family())) {
            return true;
        }
        applier.remove(found);
        return false;
    }

    /**
     * Whether the rules in the kernel redirect to another live process. It lists the rules if other programs may have
     * changed them.
     */
    public boolean areTakenOver() throws IOException {
        return !areSurelyOurs() && openPorts.anyOf(redirectedPorts().others(), family());
    }

    /**
     * Whether nobody else has changed the tables. It trusts only a watch that misses nothing: else the rules of a
     * successor would be removed as ours.
     */
    private boolean areSurelyOurs() {
        return served && !standsDown && applier.isSurelyUntouched();
    }

    private RedirectedPorts redirectedPorts() throws IptablesException {
        return RedirectedPorts.of(iptables.save(Table.NAT), this::isOwn);
    }

    private boolean isOwn(RedirectedPorts.Port port) {
        return (port.protocol() == Protocol.TCP ? ownTcp : ownUdp).test(port.number());
    }
}
