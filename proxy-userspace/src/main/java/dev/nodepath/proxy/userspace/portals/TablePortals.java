package dev.nodepath.proxy.userspace.portals;

import dev.nodepath.endpoints.ServicePortName;
import dev.nodepath.endpoints.sync.RefusalLog;
import dev.nodepath.linux.address.IpAddress;
import dev.nodepath.linux.address.IpFamily;
import dev.nodepath.linux.iptables.Iptables;
import dev.nodepath.linux.iptables.IptablesException;
import dev.nodepath.linux.iptables.RuleApplier;
import dev.nodepath.linux.iptables.RuleGroup;
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
 * The portals of one family as a table of nf_tables of our own. iptables keeps one thing: the rules that let clients
 * of node ports through a firewall that drops, because no table can undo another's drop.
 */
public final class TablePortals implements FamilyRules {
    private static final Logger LOG = LoggerFactory.getLogger(TablePortals.class);

    /** How often the removal of the table is tried while other programs change tables. */
    private static final int REMOVALS_MAX = 20;

    private final Iptables iptables;
    private final NftTables nft;
    private final TableApplier<ServicePortName> applier;
    private final RuleApplier accepting;
    private final Succession succession;
    private final RefusalLog<ServicePortName> refusals;
    private final NodePortRule nodePorts = new NodePortRule();
    private boolean served;
    private boolean overtaken;
    private long fullLooks;
    private long repairsSeen;

    /** Makes the table's keeper. It does not read the kernel's yet. */
    public TablePortals(Iptables iptables, NftTables nft, Succession succession) {
        this.iptables = iptables;
        this.nft = nft;
        this.applier = new TableApplier<>(nft, PortalSets.table(iptables.family()), false, this::checkSuccessor);
        this.accepting = new RuleApplier(iptables, PortalRules.OWNED);
        this.succession = succession;
        this.refusals = new RefusalLog<>(LOG, iptables.family());
    }

    private IpFamily family() {
        return iptables.family();
    }

    @Override
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
        PortalRules rules = new PortalRules(layout);
        Map<String, Optional<RuleGroup>> groups = new HashMap<>();
        for (PortalChange change : changes) {
            Optional<RuleGroup> now = Optional.ofNullable(change.after()).flatMap(rules::accepting);
            if (!now.equals(Optional.ofNullable(change.before()).flatMap(rules::accepting))) {
                groups.put(change.key().name().toString(), now);
            }
        }
        nodePorts.note(rules, changes, groups);
        if (groups.isEmpty()) {
            return true;
        }
        if (!accepting.isKnown() || !accepting.isUntouched()) {
            return false;
        }
        accepting.update(groups);
        return true;
    }

    @Override
    @Nullable
    public Set<Integer> bringIntoForce(PortalLayout layout, Collection<Portal> portals, boolean repairs)
            throws IOException {
        Set<Integer> gone = Set.of();
        if (!served || succession.standsDown() || !accepting.isUntouched()) {
            RedirectedPorts byRules = succession.byRules();
            RedirectedPorts byTable = succession.byTable();
            // This process has removed all portals from iptables: who has some there came later.
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
        PortalRules rules = new PortalRules(layout);
        nodePorts.note(rules, portals);
        if (repairs) {
            boolean unused = accepting.repair(rules.accepting(portals));
        } else {
            accepting.apply(rules.accepting(portals));
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

    /** Another process has changed the table. If that is a successor, it must stay as it is. */
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

    @Override
    public long fullLooks() {
        return fullLooks;
    }

    @Override
    public boolean remove() throws IOException {
        boolean hasSuccessor = succession.isAlive(succession.byRules());
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
     * Removes the table unless a successor has it. Returns whether it is gone. A change meanwhile makes it look again.
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

    @Override
    public boolean areTakenOver() throws IOException {
        return succession.isAlive(succession.byRules()) || succession.isReplaced(succession.byTable());
    }

    /** Whether the kernel has nf_tables. */
    public static boolean isKnown(NftTables nft) throws LinuxNetException {
        return new WholeTable(nft, PortalSets.table(IpFamily.IPV4)).canBe();
    }

    /**
     * Asks the kernel whether it has every expression that the table of a family needs.
     *
     * @throws LinuxNetException if it has not; the message names the expression
     */
    public static void check(NftTables nft, IpFamily family) throws LinuxNetException {
        // Clients on links are redirected, and those of the host are translated to the node's address.
        IpAddress node = IpAddress.parse(family == IpFamily.IPV4 ? "127.0.0.1" : "::1");
        ProxyAddress relay = new ProxyAddress(Optional.empty(), Optional.of(node));
        PortalLayout layout = new PortalLayout(relay, (portal, entry) -> 0, 0, List.of());
        new WholeTable(nft, PortalSets.table(family)).check(new PortalSets(family, layout).frame());
    }

    /** Removes the table of a family, whichever process made it. A kernel without nf_tables has none. */
    public static void removeTable(NftTables nft, IpFamily family) throws LinuxNetException {
        boolean unused = new WholeTable(nft, PortalSets.table(family)).remove();
    }
}
