package dev.nodepath.emulator.cluster;

/** The Nodes of a cluster without Nodes in its manifests. */
public final class NodeManifests {
    /** How many nodes one cluster may have. */
    public static final int NODES_MAX = 50;

    private static final String NODE = """
            ---
            apiVersion: v1
            kind: Node
            metadata: {name: n%1$d, labels: {topology.kubernetes.io/zone: %2$s}}
            spec: {podCIDR: 10.244.%1$d.0/24}
            status: {addresses: [{type: InternalIP, address: 172.30.0.%3$d}]}
            """;

    private NodeManifests() {}

    /** The manifests of so many Nodes: n1 with 172.30.0.11 and 10.244.1.0/24, and so on, in zones a and b. */
    public static String of(int nodes) {
        StringBuilder manifests = new StringBuilder();
        for (int number = 1; number <= nodes; number++) {
            manifests.append(NODE.formatted(number, number % 2 == 1 ? "a" : "b", 10 + number));
        }
        return manifests.toString();
    }
}
