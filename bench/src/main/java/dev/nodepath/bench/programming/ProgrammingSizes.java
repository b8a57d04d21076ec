package dev.nodepath.bench.programming;

import java.util.List;

/**
 * The clusters of a run.
 *
 * @param iptables numbers of Services of {@value #ENDPOINTS} endpoints in iptables mode, growing
 * @param nftWholeMax with more Services, full syncs of iptables-nft are left out or measured in one round only
 * @param nftables the clusters in nftables mode, growing
 */
record ProgrammingSizes(List<Integer> iptables, int nftWholeMax, List<Cluster> nftables) {
    /** The endpoints of each Service where nothing else is said. */
    static final int ENDPOINTS = 10;
    /** The number of Services at which figures have targets. */
    static final int WITH_TARGETS = 2000;

    ProgrammingSizes {
        iptables = List.copyOf(iptables);
        nftables = List.copyOf(nftables);
    }

    /**
     * A cluster.
     *
     * @param services how many Services
     * @param endpoints how many endpoints each
     */
    record Cluster(int services, int endpoints) {
        @Override
        public String toString() {
            return services + " Services x " + endpoints;
        }
    }
}
