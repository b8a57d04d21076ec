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
 * The portal rules of one family in the kernel. A process takes the portals over when it starts. If it later finds that they
 * lead to another one that is alive, that one is its successor: it writes no rule then, until the other is gone.
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
     * Rules that are not looked at yet.
     *
     * @param ownTcp whether this process listens on a port
     * @param ownUdp likewise
     */
    public FamilyRules(Iptables iptables, RelayMetrics metrics, IntPredicate ownTcp, IntPredicate ownUdp) {
        this.iptables = iptables;
        this.applier = applier(iptables);
        this.metrics = metrics;
        this.ownTcp = ownTcp;
        this.ownUdp = ownUdp;
    }

    public static RuleApplier applier(Iptables iptables) {
        return new RuleApplier(iptables, PortalRules.OWNED);
    }

    private IpFamily family() {
        return iptables.family();
    }

    /**
     * Changes the rules of some portals, at a cost that follows them.
     *
     * @return whether they are in force; if not, {@link #bringIntoForce} has to follow
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

    /** A change of endpoints alone, as long as there are some, changes no rule. */
    private static boolean rulesAreSame(PortalChange change) {
        Portal before = change.before();
        Portal after = change.after();
        if (before == null || after == null || !before.leadsAs(after)) {
            return false;
        }
        for (ServiceEntry way : ServiceEntry.values()) {
            if (before.serves(way) != after.serves(way)) {
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
     * Brings the rules of all portals into force, or stands down.
     *
     * @param mends whether nothing has changed: then it is looked whether others have removed rules
     * @return the UDP ports that others' rules led to, those of a process that is gone; null if this one stands down
     * @throws IOException if that failed
     */
    @Nullable
    public Set<Integer> bringIntoForce(PortalRules rules, Collection<Portal> portals, boolean mends)
            throws IOException {
        Set<Integer> gone = Set.of();
        if (!applier.isKnown() || standsDown || !applier.isUntouched()) {
            RedirectedPorts led = ledPorts();
            if (served && led.own().isEmpty() && openPorts.anyOf(led.others(), family())) {
                standDown();
                return null;
            }
            gone = led.othersUdp();
            fullLooks++;
        }
        nodePorts.clear();
        portals.forEach(portal -> note(portal.key(), rules.needsNodePorts(portal)));
        if (mends || standsDown) {
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

    /** How often rules were brought into force that others may have changed before. */
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
     * Removes the rules, unless another process that is alive has taken the portals over and its rules are there instead.
     *
     * @return whether another process has
     * @throws IOException if that failed
     */
    public boolean remove() throws IOException {
        if (areSurelyOurs()) {
            applier.remove();
            return false;
        }
        // One listing tells whose they are and what is to go.
        Map<Table, SavedTable> found = iptables.tables();
        RedirectedPorts led = RedirectedPorts.of(found.getOrDefault(Table.NAT, SavedTable.EMPTY), this::isOwn);
        if (openPorts.anyOf(led.others(), family())) {
            return true;
        }
        applier.remove(found);
        return false;
    }

    /** Whether the rules in the kernel lead to another process that is alive. Costs a listing if others may have changed tables. */
    public boolean areTakenOver() throws IOException {
        return !areSurelyOurs() && openPorts.anyOf(ledPorts().others(), family());
    }

    /** A watch that may miss a change is not enough: the rules of a successor would be taken for ours, and removed. */
    private boolean areSurelyOurs() {
        return served && !standsDown && applier.isSurelyUntouched();
    }

    private RedirectedPorts ledPorts() throws IptablesException {
        return RedirectedPorts.of(iptables.save(Table.NAT), this::isOwn);
    }

    private boolean isOwn(RedirectedPorts.Port port) {
        return (port.protocol() == Protocol.TCP ? ownTcp : ownUdp).test(port.number());
    }
}
