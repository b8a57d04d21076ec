package dev.nodepath.proxy.nftables;

import dev.nodepath.endpoints.ChangeSet;
import dev.nodepath.endpoints.ConnectionCount;
import dev.nodepath.endpoints.NodePortAddresses;
import dev.nodepath.endpoints.ServiceProxy;
import dev.nodepath.endpoints.ServiceSnapshot;
import dev.nodepath.endpoints.SyncException;
import dev.nodepath.endpoints.sync.ManyLimit;
import dev.nodepath.endpoints.sync.RuleSyncStats;
import dev.nodepath.endpoints.sync.RuleSyncs;
import dev.nodepath.linux.address.IpAddress;
import dev.nodepath.linux.address.IpFamily;
import dev.nodepath.linux.nftables.NftTableState;
import dev.nodepath.linux.nftables.NftTables;
import dev.nodepath.linux.nftables.WholeTable;
import dev.nodepath.linux.syscall.LinuxNetException;
import java.io.IOException;
import java.util.Collection;
import java.util.List;

/**
 * The nftables mode. The kernel forwards the traffic by one table for each family, which this class keeps in sync over
 * netlink. The tables stay when it is closed, and a new process takes them over without a change.
 */
public final class NftablesProxy implements ServiceProxy {
    private final NftablesConfig config;
    private final RuleSyncs<NftablesConfig, TableSize> syncs;
    private final RuleSyncs.HostReader<List<IpAddress>> host;

    /**
     * A proxy that has not written anything yet.
     *
     * @param config the options of the rules
     * @param families the served families
     * @param nft the tables of the namespace; the caller closes them
     * @param removesAtOnce whether a chain can be removed together with the last element that leads to it (Linux 6.2)
     * @param host reads all addresses of the host's links; asked at each sync if node ports are served on some addresses
     *     only
     */
    public NftablesProxy(
            NftablesConfig config,
            Collection<IpFamily> families,
            NftTables nft,
            boolean removesAtOnce,
            RuleSyncs.HostReader<List<IpAddress>> host) {
        this.config = config;
        this.host = host;
        this.syncs = new RuleSyncs<>(
                families.stream()
                        .map(family -> new NftablesWriter(family, nft, removesAtOnce))
                        .toList(),
                "table",
                TableSize.NONE);
    }

    /**
     * Syncs both families, each even if the other fails. It repairs changes by other programs in the tables.
     *
     * @throws SyncException if one failed; it names the failed ones
     */
    @Override
    public void sync(ServiceSnapshot desired, ChangeSet changed) throws SyncException {
        syncs.sync(desired, changed, this::onThisHost, family -> {});
    }

    private NftablesConfig onThisHost() throws IOException {
        NftablesConfig.Draft draft = new NftablesConfig.Draft(config);
        if (!draft.nodePortAddresses.equals(NodePortAddresses.ALL)) {
            draft.hostAddresses = host.read();
        }
        return draft.build();
    }

    @Override
    public long fullSyncs(IpFamily family) {
        return stats(family).fullSyncs();
    }

    /** The counters of a family's syncs. For any thread. All zero for a family that is not served. */
    public RuleSyncStats<TableSize> stats(IpFamily family) {
        return syncs.stats(family);
    }

    /** The table that a first sync of a snapshot writes, in the layout for its number of service ports. */
    public static NftTableState table(ServiceSnapshot snapshot, NftablesConfig config, IpFamily family) {
        ManyLimit maps = NftablesWriter.maps(family);
        maps.recount(snapshot);
        return NftablesRules.of(snapshot, NftablesContext.of(snapshot, config, family, maps.isExceeded()));
    }

    /**
     * The connections to each endpoint, if the rules count them.
     *
     * @param nft the tables over a socket that no sync uses: a listing takes long in a large cluster
     */
    public static List<ConnectionCount> connections(NftTables nft, ServiceSnapshot snapshot, IpFamily family)
            throws LinuxNetException {
        return ConnectionCount.of(
                snapshot, family, NftablesRules.endpointChains(), nft.countedPackets(NftablesRules.table(family)));
    }

    /** Leaves the tables in place. */
    @Override
    public void close() {}

    /** Whether the kernel has nf_tables for a family. */
    public static boolean canServe(NftTables nft, IpFamily family) throws LinuxNetException {
        return new WholeTable(nft, NftablesRules.table(family)).canBe();
    }

    /** Whether there is a table of a family, ours or kube-proxy's. A kernel without nf_tables has none. */
    public static boolean hasTable(NftTables nft, IpFamily family) throws LinuxNetException {
        return new WholeTable(nft, NftablesRules.table(family)).exists();
    }

    /**
     * Removes the table of a family, ours or kube-proxy's.
     *
     * @return whether there was one; a kernel without nf_tables has none
     */
    public static boolean removeTable(NftTables nft, IpFamily family) throws LinuxNetException {
        return new WholeTable(nft, NftablesRules.table(family)).remove();
    }
}
