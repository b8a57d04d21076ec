package dev.nodepath.proxy.userspace.portals;

import dev.nodepath.endpoints.sync.RefusalLog;
import dev.nodepath.linux.address.IpFamily;
import dev.nodepath.linux.iptables.Iptables;
import dev.nodepath.linux.iptables.IptablesException;
import dev.nodepath.linux.iptables.RuleApplier;
import dev.nodepath.linux.iptables.RuleGroup;
import dev.nodepath.linux.iptables.SavedTable;
import dev.nodepath.linux.iptables.Table;
import java.io.IOException;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The portals of one family as iptables rules. */
public final class IptablesPortals implements FamilyRules {
    private static final Logger LOG = LoggerFactory.getLogger(IptablesPortals.class);
    private final Iptables iptables;
    private final RuleApplier applier;
    private final Succession succession;
    private final RefusalLog<String> refusals;
    private final NodePortRule nodePorts = new NodePortRule();
    private boolean served;
    private long fullLooks;

    /** Makes the rules. It does not read the kernel's yet. */
    public IptablesPortals(Iptables iptables, Succession succession) {
        this.iptables = iptables;
        this.applier = new RuleApplier(iptables, PortalRules.OWNED);
        this.succession = succession;
        this.refusals = new RefusalLog<>(LOG, iptables.family());
    }

    private IpFamily family() {
        return iptables.family();
    }

    @Override
    public boolean update(PortalLayout layout, List<PortalChange> changes) throws IptablesException {
        PortalRules rules = new PortalRules(layout);
        Map<String, Optional<RuleGroup>> groups = new HashMap<>();
        for (PortalChange change : changes) {
            if (change.leadsElsewhere()) {
                groups.put(
                        change.key().name().toString(),
                        Optional.ofNullable(change.after()).map(rules::group));
            }
        }
        nodePorts.note(rules, changes, groups);
        if (groups.isEmpty()) {
            return true;
        }
        if (succession.standsDown() || !applier.isKnown() || !applier.isUntouched()) {
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
        refusals.report(applier.refused());
        return true;
    }

    @Override
    @Nullable
    public Set<Integer> bringIntoForce(PortalLayout layout, Collection<Portal> portals, boolean repairs)
            throws IOException {
        PortalRules rules = new PortalRules(layout);
        Set<Integer> gone = Set.of();
        boolean looks = !served || !applier.isKnown() || succession.standsDown() || !applier.isUntouched();
        if (looks) {
            RedirectedPorts byRules = succession.byRules();
            RedirectedPorts byTable = succession.byTable();
            if (served && (succession.isReplaced(byTable) || succession.isReplaced(byRules))) {
                succession.standDown();
                return null;
            }
            gone = byRules.and(byTable).othersUdp();
            fullLooks++;
        }
        nodePorts.note(rules, portals);
        if (repairs || succession.standsDown()) {
            if (applier.repair(rules.all(portals))) {
                LOG.atWarn().addKeyValue("family", family()).log("rules.repaired");
            }
        } else {
            applier.apply(rules.all(portals));
        }
        if (looks) {
            succession.removeTable();
        }
        served = true;
        succession.serve();
        refusals.report(applier.refused());
        return gone;
    }

    @Override
    public long fullLooks() {
        return fullLooks;
    }

    @Override
    public boolean remove() throws IOException {
        if (areSurelyOurs()) {
            applier.remove();
            return false;
        }
        // One listing shows whose rules these are, and which rules to remove.
        Map<Table, SavedTable> found = iptables.tables();
        RedirectedPorts byRules = succession.byRules(found.getOrDefault(Table.NAT, SavedTable.EMPTY));
        if (succession.isAlive(byRules.and(succession.byTable()))) {
            return true;
        }
        applier.remove(found);
        return false;
    }

    @Override
    public boolean areTakenOver() throws IOException {
        return !areSurelyOurs() && succession.isAlive(succession.byRules().and(succession.byTable()));
    }

    /**
     * Whether nobody else has changed the tables. It trusts only a watch that misses nothing: else the rules of a
     * successor would be removed as ours.
     */
    private boolean areSurelyOurs() {
        return served && !succession.standsDown() && applier.isSurelyUntouched();
    }
}
