package dev.nodepath.policy;

import dev.nodepath.endpoints.NamespacedName;
import dev.nodepath.linux.address.IpAddress;
import dev.nodepath.linux.address.IpFamily;
import dev.nodepath.linux.nftables.NftTableState;
import dev.nodepath.linux.nftables.NftTables;
import dev.nodepath.linux.nftables.TableApplier;
import dev.nodepath.linux.nftables.WholeTable;
import dev.nodepath.linux.syscall.LinuxNetException;
import dev.nodepath.policy.object.Direction;
import dev.nodepath.policy.object.PolicyChanges;
import dev.nodepath.policy.object.PolicyPod;
import dev.nodepath.policy.object.PolicySnapshot;
import java.util.ArrayList;
import java.util.Collection;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The tables of the policies, one for each family. They stay after the end of the process, and the next process only
 * sends differences. One thread uses it.
 */
public final class PolicyTables {
    private static final Logger LOG = LoggerFactory.getLogger(PolicyTables.class);

    private final NftTables nft;
    private final List<FamilyTable> families;

    /** One family's table and its renderer. */
    private record FamilyTable(IpFamily family, PolicyRenderer renderer, TableApplier<RuleOwner> applier) {}

    /**
     * The state in force is unknown at first.
     *
     * @param nft the tables of the namespace; the caller closes them
     * @param removesAtOnce whether a chain can be removed together with the last element that leads to it (Linux 6.2)
     */
    public PolicyTables(NftTables nft, Collection<IpFamily> families, PolicyNode node, boolean removesAtOnce) {
        this.nft = nft;
        this.families = families.stream()
                .map(family -> {
                    PolicyRenderer renderer = new PolicyRenderer(node, family);
                    return new FamilyTable(
                            family,
                            renderer,
                            new TableApplier<>(nft, PolicyFrame.table(family), removesAtOnce, renderer::whenRefused));
                })
                .toList();
    }

    /**
     * The addresses that the tables in force isolate for this node's pods, if their status shows none yet. An earlier
     * process put them there.
     */
    public Map<PolicyPod, List<IpAddress>> isolatedWithoutStatus(PolicySnapshot snapshot) throws LinuxNetException {
        Map<PolicyPod, List<IpAddress>> isolated = new HashMap<>();
        for (FamilyTable each : families) {
            Optional<NftTableState> table = nft.read(PolicyFrame.table(each.family));
            if (table.isPresent()) {
                each.renderer
                        .isolatedWithoutStatus(table.get(), snapshot)
                        .forEach((pod, addresses) -> isolated.computeIfAbsent(pod, missing -> new ArrayList<>())
                                .addAll(addresses));
            }
        }
        return isolated;
    }

    /**
     * Brings a snapshot into force: as a whole at first and after a failure, else only the changes.
     *
     * @throws LinuxNetException if a family failed; the families behind it were not tried
     */
    public void sync(PolicySnapshot desired, PolicyChanges changed) throws LinuxNetException {
        for (FamilyTable each : families) {
            if (!each.applier.isLost()) {
                each.applier.tidy();
            }
            if (each.applier.isLost()) {
                each.applier.replace(each.renderer.all(desired));
            } else if (!changed.isEmpty()) {
                each.applier.update(each.renderer.changed(desired, changed));
            }
        }
    }

    /**
     * Repairs changes by other programs, and offers refused parts to the kernel again.
     *
     * @throws LinuxNetException if a family failed. The next sync then writes everything
     */
    public void look() throws LinuxNetException {
        for (FamilyTable each : families) {
            if (!each.applier.isLost()) {
                long before = each.applier.repairs();
                each.applier.repair();
                each.applier.retryRefused();
                if (each.applier.repairs() > before) {
                    LOG.atWarn().addKeyValue("family", each.family).log("policy.repaired");
                }
            }
        }
    }

    /** The families that have a table. */
    public List<IpFamily> families() {
        return families.stream().map(FamilyTable::family).toList();
    }

    /** The owners of refused chains and elements, with the reason of the kernel. */
    public SortedMap<String, String> refused() {
        SortedMap<String, String> refused = new TreeMap<>();
        families.forEach(each ->
                each.applier.refused().forEach((owner, reason) -> refused.put(each.family + " " + owner, reason)));
        return refused;
    }

    /** The pods whose chains and elements the kernel has refused. Their policies are not in force. */
    public Set<NamespacedName> refusedPods() {
        return families.stream()
                .flatMap(each -> each.applier.refused().keySet().stream())
                .filter(owner -> owner.kind() == RuleOwner.Kind.POD)
                .map(RuleOwner::name)
                .collect(Collectors.toSet());
    }

    /**
     * The present content of the tables. It reads the counters from the kernel.
     *
     * @return without families whose table is yet to be written as a whole
     */
    public List<PolicyTableStats> stats() throws LinuxNetException {
        List<PolicyTableStats> stats = new ArrayList<>();
        for (FamilyTable each : families) {
            if (!each.applier.isLost()) {
                Map<Direction, Long> dropped = new EnumMap<>(Direction.class);
                for (Direction direction : Direction.values()) {
                    dropped.put(direction, nft.countedPackets(PolicyFrame.drop(each.family, direction)));
                }
                stats.add(new PolicyTableStats(
                        each.family,
                        each.applier.chains(),
                        each.applier.elements(),
                        each.applier.refused().size(),
                        each.applier.repairs(),
                        dropped));
            }
        }
        return stats;
    }

    /** The number of parts sent so far. */
    public long written() {
        return families.stream().mapToLong(each -> each.applier.written()).sum();
    }

    /** Whether the kernel has nf_tables for a family. */
    public static boolean canBe(NftTables nft, IpFamily family) throws LinuxNetException {
        return new WholeTable(nft, PolicyFrame.table(family)).canBe();
    }

    /**
     * Why the kernel refuses a node's table, even without policies; empty if it accepts the table. It changes nothing.
     */
    public static Optional<String> problem(NftTables nft, IpFamily family, PolicyNode node) {
        try {
            new WholeTable(nft, PolicyFrame.table(family))
                    .check(new PolicyRenderer(node, family)
                            .all(PolicySnapshot.EMPTY)
                            .state());
            return Optional.empty();
        } catch (LinuxNetException e) {
            return Optional.of(String.valueOf(e.getMessage()));
        }
    }

    /** Whether a table that is in force has rules of ClusterNetworkPolicies. */
    public static boolean haveClusterPolicies(NftTables nft) throws LinuxNetException {
        for (IpFamily family : IpFamily.values()) {
            Optional<NftTableState> table = nft.read(PolicyFrame.table(family));
            if (table.isPresent() && table.get().chains().keySet().stream().anyMatch(PolicyFrame::isOfClusterPolicy)) {
                return true;
            }
        }
        return false;
    }

    /**
     * Removes the table of a family.
     *
     * @return whether there was one; a kernel without nf_tables has none
     */
    public static boolean remove(NftTables nft, IpFamily family) throws LinuxNetException {
        return new WholeTable(nft, PolicyFrame.table(family)).remove();
    }
}
