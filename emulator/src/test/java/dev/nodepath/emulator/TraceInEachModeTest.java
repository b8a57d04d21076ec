package dev.nodepath.emulator;

import java.io.IOException;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** {@code trace FROM TO} says what real requests meet, in each mode of one cluster. */
@Tag("netns")
@Tag("page")
@ExtendWith(SharedCluster.OfAllClasses.class)
class TraceInEachModeTest {
    @Test
    void saysWhereRealRequestsGoAndWhatSourceTheyShow(SharedCluster cluster) throws IOException, InterruptedException {
        for (String mode : List.of("nftables", "userspace", "iptables")) {
            cluster.whole(mode);
            new TracedRequests(cluster.script()).areAsInMode(mode);
        }
    }
}
