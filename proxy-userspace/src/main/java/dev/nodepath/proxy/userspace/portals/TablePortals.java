package dev.nodepath.proxy.userspace.portals;

import dev.nodepath.endpoints.ServicePortName;
import dev.nodepath.endpoints.sync.ReasonLog;
import dev.nodepath.linux.address.IpAddress;
import dev.nodepath.linux.address.IpFamily;
import dev.nodepath.linux.iptables.Iptables;
import dev.nodepath.linux.iptables.IptablesException;
import dev.nodepath.linux.iptables.RuleApplier;
import dev.nodepath.linux.iptables.RuleGroup;
import dev.nodepath.linux.iptables.RuleSet;
import dev.nodepath.linux.nftables.DesiredTable;
import dev.nodepath.linux.nftables.NftChange;
import dev.nodepath.linux.nftables.NftRefusedException;
import dev.nodepath.linux.nftables.NftTableState;
import dev.nodepath.linux.nftables.NftTables;
import dev.nodepath.linux.nftables.NftTransaction;
import dev.nodepath.linux.nftables.TableApplier;
import dev.nodepath.linux.nftables.TableGroup;
import dev.nodepath.linux.nftables.WholeTable;
import dev.nodepath.linux.syscall.Errno;
import dev.nodepath.linux.syscall.LinuxNetException;
import java.io.IOException;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Leads one family's clients to the relay, by a table of nf_tables of our own. Only one thing stays in iptables: the
 * rules that let clients of node ports through a firewall that drops, because no table can undo another table's drop.
 *
 * <p>A process takes the portals over when it starts. If they later lead to another live process, that process is the
 * successor. Then this one writes nothing until the successor is gone.
 */
public final class TablePortals {
    private static final Logger LOG = LoggerFactory.getLogger(TablePortals.class);

    /** The most tries to remove the table while other programs change tables. */
    private static final int REMOVALS_MAX = 20;

    private static final String INSTEAD = " (expected: a kernel that takes the table of portals, or mode iptables)";

    private final Iptables iptables;
    private final NftTables nft;
    private final TableApplier<ServicePortName> applier;
    private final RuleApplier accepting;
    private final Succession succession;
    private final ReasonLog<ServicePortName> refusals;
    private final NodePortRules nodePorts = new NodePortRules();
    private boolean served;
    private boolean overtaken;
    private long fullLooks;
    private long repairsSeen;

    /** Makes the table's keeper. The present table is not read yet. */
    public TablePortals(Iptables iptables, NftTables nft, Succession succession) {
        this.iptables = iptables;
        this.nft = nft;
        this.applier = new TableApplier<>(nft, PortalSets.table(iptables.family()), false, this::checkSuccessor);
        this.accepting = new RuleApplier(iptables, NodePortRules.OWNED);
        this.succession = succession;
        this.refusals = ReasonLog.ofRefusals(LOG, iptables.family());
    }

    private IpFamily family() {
        return iptables.family();
    }

    /**
     * Changes some portals. Its cost is proportional to their number. A failure is logged.
     *
     * @return whether they are in force; if not, {@link #bringIntoForce} must follow
     */
    public boolean update(PortalLayout layout, List<PortalChange> changes) {
        if (succession.standsDown() || applier.isLost()) {
            return false;
        }
        PortalSets sets = new PortalSets(family(), layout);
        Map<ServicePortName, Optional<TableGroup>> groups = new HashMap<>();
        for (PortalChange change : changes) {
            if (change.leadsElsewhere()) {
                groups.put(
                        change.key().name(), Optional.ofNullable(change.after()).map(sets::group));
            }
        }
        try {
            if (!groups.isEmpty()) {
                applier.update(groups);
                refusals.report(applier.refused());
            }
            return accept(layout, changes);
        } catch (IOException e) {
            LOG.atWarn()
                    .addKeyValue("family", family())
                    .addKeyValue("error", e.getMessage())
                    .log("rules.partial_sync_failed");
            return false;
        }
    }

    /** Lets the clients of changed node ports through. Returns whether that was possible without a listing. */
    private boolean accept(PortalLayout layout, List<PortalChange> changes) throws IptablesException {
        Map<String, Optional<RuleGroup>> groups = nodePorts.update(layout.ports(), changes);
        if (groups.isEmpty()) {
            return true;
        }
        if (!accepting.isKnown() || !accepting.isUntouched()) {
            return false;
        }
        accepting.update(groups);
        return true;
    }

    /**
     * Brings all portals into force, unless a successor has them.
     *
     * @param repairs whether the snapshot is unchanged; then only changes by other programs are repaired
     * @return the UDP ports of a dead process to which clients were led; null if a successor has the portals
     * @throws IOException if that failed
     */
    @Nullable
    public Set<Integer> bringIntoForce(PortalLayout layout, Collection<Portal> portals, boolean repairs)
            throws IOException {
        Set<Integer> gone = Set.of();
        if (!served || succession.standsDown() || !accepting.isUntouched()) {
            RedirectedPorts byRules = succession.byRules();
            RedirectedPorts byTable = succession.byTable();
            // The first sync removes all portals from iptables, so portals found there later are a successor's.
            if (served && (succession.isAlive(byRules) || succession.isReplaced(byTable))) {
                succession.standDown();
                return null;
            }
            gone = byRules.and(byTable).othersUdp();
            fullLooks++;
        }
        overtaken = false;
        try {
            applier.replace(table(layout, portals));
            applier.retryRefused();
        } catch (LinuxNetException e) {
            if (overtaken) {
                succession.standDown();
                return null;
            }
            throw e;
        }
        accept(layout, portals, repairs);
        served = true;
        succession.serve();
        report();
        return gone;
    }

    private DesiredTable<ServicePortName> table(PortalLayout layout, Collection<Portal> portals) {
        PortalSets sets = new PortalSets(family(), layout);
        DesiredTable<ServicePortName> table = new DesiredTable<>(sets.frame());
        portals.forEach(portal -> table.add(portal.name(), sets.group(portal)));
        return table;
    }

    private void accept(PortalLayout layout, Collection<Portal> portals, boolean repairs) throws IptablesException {
        RuleSet rules = nodePorts.all(layout.ports(), portals);
        if (repairs) {
            accepting.repair(rules);
        } else {
            accepting.apply(rules);
        }
    }

    private void report() {
        refusals.report(applier.refused());
        if (applier.repairs() > repairsSeen) {
            repairsSeen = applier.repairs();
            fullLooks++;
            LOG.atWarn().addKeyValue("family", family()).log("rules.repaired");
        }
    }

    /** Another process has changed the table. A successor's table must stay as it is. */
    private void checkSuccessor(Optional<NftTableState> read) throws LinuxNetException {
        RedirectedPorts byTable = succession.in(read);
        if (!served || !byTable.own().isEmpty()) {
            return;
        }
        try {
            overtaken = succession.isAlive(byTable.and(succession.byRules()));
        } catch (IOException e) {
            throw new LinuxNetException(
                    "look for a successor", Errno.EAGAIN.number(), String.valueOf(e.getMessage()), e);
        }
        if (overtaken) {
            throw new LinuxNetException("change table", Errno.EBUSY.number(), "another process has the portals");
        }
    }

    /** How often all portals were brought into force after a possible change by other programs. */
    public long fullLooks() {
        return fullLooks;
    }

    /**
     * Removes everything, unless another live process has replaced it with its own.
     *
     * @return whether another process has the portals
     * @throws IOException if that failed
     */
    public boolean remove() throws IOException {
        boolean hasSuccessor = isInIptables();
        try {
            hasSuccessor |= !removeOwnTable();
        } finally {
            if (!hasSuccessor) {
                accepting.remove();
            }
        }
        return hasSuccessor;
    }

    /**
     * Removes the table unless a successor has it. Returns whether it is gone. After a change by another program it
     * looks again.
     */
    private boolean removeOwnTable() throws IOException {
        for (int attempt = 1; ; attempt++) {
            int generation = nft.generation();
            if (succession.isReplaced(succession.byTable())) {
                return false;
            }
            try {
                nft.apply(new NftTransaction(OptionalInt.of(generation))
                        .add(new NftChange.DeleteTable(PortalSets.table(family()))));
                return true;
            } catch (NftRefusedException e) {
                if (e.errno() == Errno.ENOENT) {
                    return true;
                }
                if (!e.isOutdated() || attempt == REMOVALS_MAX) {
                    throw e;
                }
            }
        }
    }

    /** Whether the kernel leads clients to another live process. */
    public boolean areTakenOver() throws IOException {
        return isInIptables() || succession.isReplaced(succession.byTable());
    }

    /**
     * Whether a successor has portals in iptables. Nothing is listed if no other program has changed a table since
     * ours was written. This needs a watch that loses no event; otherwise the rules of a successor would be removed.
     */
    private boolean isInIptables() throws IOException {
        boolean untouched = served && !succession.standsDown() && accepting.isSurelyUntouched();
        return !untouched && succession.isAlive(succession.byRules());
    }

    /**
     * Asks the kernel, without a change, whether it takes the table of a family.
     *
     * @throws IOException if it does not; the message names an expression that it lacks, and iptables mode
     */
    public static void require(NftTables nft, IpFamily family) throws IOException {
        // Clients on links are redirected; connections of the host are translated to the node's address.
        IpAddress node = IpAddress.parse(family == IpFamily.IPV4 ? "127.0.0.1" : "::1");
        PortalLayout layout = new PortalLayout(Optional.empty(), Optional.of(node), (portal, entry) -> 0, List.of());
        WholeTable table = new WholeTable(nft, PortalSets.table(family));
        try {
            if (!table.canBe()) {
                throw new IOException("kernel: no nf_tables" + INSTEAD);
            }
            table.check(new PortalSets(family, layout).frame());
        } catch (LinuxNetException e) {
            throw new IOException(e.getMessage() + INSTEAD, e);
        }
    }

    /** Removes the table of a family, whichever process made it. A kernel without nf_tables has none. */
    public static void removeTable(NftTables nft, IpFamily family) throws LinuxNetException {
        new WholeTable(nft, PortalSets.table(family)).remove();
    }
}
