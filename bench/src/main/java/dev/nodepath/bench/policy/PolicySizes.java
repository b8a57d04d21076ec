package dev.nodepath.bench.policy;

/**
 * How much is measured in a round.
 *
 * @param changes of policies and of labels
 * @param slices loads of one second for each kind of load
 * @param adds one after the other
 * @param warmUps calls of the plugin before the first round
 * @param small the cluster in which policies and pods are added
 * @param large the cluster of the first sync
 */
record PolicySizes(
        int changes, int slices, int adds, int warmUps, PolicedCluster.Size small, PolicedCluster.Size large) {
    private static final PolicedCluster.Size SMALL = new PolicedCluster.Size(1000, 100);
    private static final PolicedCluster.Size LARGE = new PolicedCluster.Size(10_000, 500);

    static final PolicySizes WHOLE = new PolicySizes(100, 3, 20, 300, SMALL, LARGE);
    static final PolicySizes QUICK = new PolicySizes(20, 1, 8, 100, SMALL, LARGE);
}
