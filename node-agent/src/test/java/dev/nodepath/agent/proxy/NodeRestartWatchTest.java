package dev.nodepath.agent.proxy;

import static org.assertj.core.api.Assertions.assertThat;

import dev.nodepath.endpoints.ServiceSnapshot;
import dev.nodepath.endpoints.Snapshots;
import org.junit.jupiter.api.Test;

class NodeRestartWatchTest {
    private static ServiceSnapshot cluster(String addresses, String podCidrs) {
        return Snapshots.service("a/b", "10.96.0.1", 80)
                .node("n1", addresses, podCidrs)
                .build();
    }

    @Test
    void goesOnWhileTheNodeStaysTheSame() {
        NodeRestartWatch watch = new NodeRestartWatch("n1", true);
        assertThat(watch.reasonToEnd(ServiceSnapshot.EMPTY)).isEmpty();
        assertThat(watch.reasonToEnd(cluster("172.30.0.1", "10.244.1.0/24"))).isEmpty();
        assertThat(watch.reasonToEnd(cluster("172.30.0.1", "10.244.1.0/24"))).isEmpty();
    }

    @Test
    void endsWhenTheNodeIsDeletedOrMoves() {
        NodeRestartWatch watch = new NodeRestartWatch("n1", false);
        assertThat(watch.reasonToEnd(cluster("172.30.0.1", "10.244.1.0/24"))).isEmpty();
        assertThat(watch.reasonToEnd(ServiceSnapshot.EMPTY)).contains("deleted");
        assertThat(watch.reasonToEnd(cluster("172.30.0.2", "10.244.1.0/24")))
                .contains("addresses changed from [172.30.0.1] to [172.30.0.2]");
    }

    @Test
    void podNetworksMatterOnlyWhereTheyTellPods() {
        for (boolean used : new boolean[] {true, false}) {
            NodeRestartWatch watch = new NodeRestartWatch("n1", used);
            assertThat(watch.reasonToEnd(cluster("172.30.0.1", "10.244.1.0/24")))
                    .isEmpty();
            assertThat(watch.reasonToEnd(cluster("172.30.0.1", "10.244.2.0/24")).isPresent())
                    .isEqualTo(used);
        }
    }

    @Test
    void theFirstAddressAndPodNetworkOfANodeAreNoChange() {
        NodeRestartWatch watch = new NodeRestartWatch("n1", true);
        assertThat(watch.reasonToEnd(cluster("", ""))).isEmpty();
        assertThat(watch.reasonToEnd(cluster("172.30.0.1", ""))).isEmpty();
        assertThat(watch.reasonToEnd(cluster("172.30.0.1", "10.244.1.0/24"))).isEmpty();
        assertThat(watch.reasonToEnd(cluster("172.30.0.1", ""))).isPresent();
    }

    /** A further address, such as a virtual one, and a moment without any, while they are written anew. */
    @Test
    void onlyTheFirstAddressOfEachFamilyMatters() {
        NodeRestartWatch watch = new NodeRestartWatch("n1", false);
        assertThat(watch.reasonToEnd(cluster("172.30.0.1", ""))).isEmpty();
        assertThat(watch.reasonToEnd(cluster("172.30.0.1,172.30.0.99", ""))).isEmpty();
        assertThat(watch.reasonToEnd(cluster("", ""))).isEmpty();
        assertThat(watch.reasonToEnd(cluster("172.30.0.1", ""))).isEmpty();
        assertThat(watch.reasonToEnd(cluster("172.30.0.99,172.30.0.1", "")))
                .contains("addresses changed from [172.30.0.1] to [172.30.0.99]");
    }
}
