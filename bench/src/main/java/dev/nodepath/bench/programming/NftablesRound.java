package dev.nodepath.bench.programming;

import static dev.nodepath.bench.programming.Measured.OURS;
import static dev.nodepath.bench.programming.Measured.median;

import dev.nodepath.bench.programming.ProgrammingSizes.Cluster;
import dev.nodepath.bench.testbed.GeneratedClusters;
import dev.nodepath.endpoints.ChangeSet;
import dev.nodepath.endpoints.SnapshotTracker.Update;
import dev.nodepath.endpoints.sync.RuleSyncStats;
import dev.nodepath.linux.address.IpFamily;
import dev.nodepath.linux.nftables.NftChange;
import dev.nodepath.linux.nftables.NftTable;
import dev.nodepath.linux.nftables.NftTables;
import dev.nodepath.linux.nftables.NftTransaction;
import dev.nodepath.proxy.nftables.NftablesProxy;
import dev.nodepath.proxy.nftables.NftablesRules;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * One round of nftables mode with one cluster.
 *
 * @param millis the times by measurement and contender
 * @param restartChanges the changes that the sync of a restart sent
 */
record NftablesRound(Map<String, Map<String, Double>> millis, long restartChanges) {
    static final String FIRST = "first sync into an empty table";
    static final String RESTART = "restart, nothing changed";
    static final String ENDPOINT = "one endpoint changed";
    static final String ADDED = "a Service added";
    static final String REMOVED = "a Service removed";

    /** The kernel's share: the messages of a sync, sent again. */
    static final String BARE = "bare messages";
    /** The least transaction. */
    static final String EMPTY = "empty transaction";
    /** A reading of the whole table. */
    static final String READING = "reading";

    /** The value of a change is the median of so many. An even number. */
    private static final int CHANGES = 100;
    /** The same for an added and a removed Service. */
    private static final int SERVICES = 20;

    private static final NftTable TABLE = NftablesRules.table(IpFamily.IPV4);

    /** Measures in the namespace of these tables. It leaves no table of Nodepath there. */
    static NftablesRound of(NftTables nft, Cluster cluster) throws Exception {
        return new Run(nft, cluster).run();
    }

    private static final class Run {
        private final NftTables nft;
        private final RecordedTables recorded;
        private final Cluster size;
        private final ChangingCluster cluster;
        private final Map<String, Map<String, Double>> millis = new LinkedHashMap<>();

        Run(NftTables nft, Cluster size) {
            this.nft = nft;
            this.recorded = new RecordedTables(nft);
            this.size = size;
            // The last Service is added and removed.
            this.cluster = new ChangingCluster(size.services() - 1, size.endpoints());
        }

        NftablesRound run() throws Exception {
            Update all = cluster.commit();
            first(all);
            NftablesProxy proxy = proxy();
            double reading = Measured.millis(() -> nft.read(TABLE));
            double restart = Measured.millis(() -> proxy.sync(all.snapshot(), ChangeSet.NONE));
            millis.put(RESTART, Map.of(OURS, restart, READING, reading));
            long restartChanges = proxy.stats(IpFamily.IPV4).size().written();
            endpoints(proxy);
            services(proxy);
            check(proxy);
            NftablesProxy.removeTable(nft, IpFamily.IPV4);
            return new NftablesRound(millis, restartChanges);
        }

        private void first(Update all) throws Exception {
            NftablesProxy.removeTable(nft, IpFamily.IPV4);
            // A sync must not pay for the garbage of the previous one.
            System.gc();
            double ours = Measured.millis(() -> proxy().sync(all.snapshot(), ChangeSet.NONE));
            List<NftTransaction> messages = recorded.takeRecorded();
            NftablesProxy.removeTable(nft, IpFamily.IPV4);
            double bare = Measured.millis(() -> send(messages));
            millis.put(FIRST, Map.of(OURS, ours, BARE, bare, EMPTY, Measured.millis(this::sendNothing)));
        }

        /**
         * Each pair of changes leads from one endpoint to another and back. So both can be sent again in the same
         * order.
         */
        private void endpoints(NftablesProxy proxy) throws Exception {
            int service = size.services() / 2;
            sync(proxy, () -> cluster.putSlice(service, 0));
            List<Double> ours = new ArrayList<>();
            List<Double> bare = new ArrayList<>();
            List<Double> empty = new ArrayList<>();
            recorded.takeRecorded();
            for (int i = 0; i < CHANGES; i += 2) {
                List<List<NftTransaction>> both = new ArrayList<>();
                for (int version : new int[] {1, 0}) {
                    empty.add(Measured.millis(this::sendNothing));
                    ours.add(Measured.millis(() -> sync(proxy, () -> cluster.putSlice(service, version))));
                    both.add(recorded.takeRecorded());
                }
                for (List<NftTransaction> change : both) {
                    bare.add(Measured.millis(() -> send(change)));
                }
            }
            millis.put(ENDPOINT, Map.of(OURS, median(ours), BARE, median(bare), EMPTY, median(empty)));
        }

        private void services(NftablesProxy proxy) throws Exception {
            int service = size.services() - 1;
            List<Double> added = new ArrayList<>();
            List<Double> removed = new ArrayList<>();
            List<Double> bareAdded = new ArrayList<>();
            List<Double> bareRemoved = new ArrayList<>();
            for (int i = 0; i < SERVICES; i++) {
                added.add(Measured.millis(() -> sync(proxy, () -> cluster.put(service))));
                List<NftTransaction> addition = recorded.takeRecorded();
                removed.add(Measured.millis(() -> sync(proxy, () -> cluster.remove(service))));
                List<NftTransaction> removal = recorded.takeRecorded();
                bareAdded.add(Measured.millis(() -> send(addition)));
                bareRemoved.add(Measured.millis(() -> send(removal)));
            }
            millis.put(ADDED, Map.of(OURS, median(added), BARE, median(bareAdded)));
            millis.put(REMOVED, Map.of(OURS, median(removed), BARE, median(bareRemoved)));
        }

        /** A full sync, or one that left groups out, would measure other work. */
        private void check(NftablesProxy proxy) throws IOException {
            RuleSyncStats<?> stats = proxy.stats(IpFamily.IPV4);
            long expected = 1 + CHANGES + 2L * SERVICES;
            if (stats.partialSyncs() != expected || stats.fullSyncs() != 1 || stats.refusedServicePorts() > 0) {
                throw new IOException(
                        stats + " (expected: " + expected + " partial syncs, one full sync, no refused service port)");
            }
        }

        private void sync(NftablesProxy proxy, Runnable event) throws Exception {
            event.run();
            Update update = cluster.commit();
            proxy.sync(update.snapshot(), update.change());
        }

        private void send(List<NftTransaction> transactions) throws Exception {
            for (NftTransaction transaction : transactions) {
                nft.apply(transaction);
            }
        }

        private void sendNothing() throws Exception {
            nft.apply(new NftTransaction().add(new NftChange.AddTable(TABLE, "")));
        }

        private NftablesProxy proxy() {
            return new NftablesProxy(
                    GeneratedClusters.NFTABLES_CONFIG, List.of(IpFamily.IPV4), recorded, true, List::of);
        }
    }
}
