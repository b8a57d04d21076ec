package dev.nodepath.proxy.nftables;

import static org.assertj.core.api.Assertions.assertThat;

import dev.nodepath.endpoints.trace.Question;
import dev.nodepath.endpoints.trace.QuestionedNetwork;
import dev.nodepath.endpoints.trace.RoutedNetwork;
import dev.nodepath.endpoints.trace.RoutedNetwork.Host;
import dev.nodepath.endpoints.trace.Trace;
import dev.nodepath.endpoints.trace.TracedPacket;
import dev.nodepath.linux.address.IpFamily;
import java.util.EnumSet;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Function;
import org.junit.jupiter.api.Test;

class TracedClusterTest {
    /** Otherwise {@link TableTracerNetnsTest} would compare little. */
    @Test
    void fewSeedsHaveBothFamiliesAndEveryAnswer() {
        Set<String> promised = new TreeSet<>();
        Set<IpFamily> families = EnumSet.noneOf(IpFamily.class);
        Set<Boolean> layouts = new TreeSet<>();
        for (long seed = 1; seed <= TableTracerNetnsTest.FEW_SEEDS; seed++) {
            TracedCluster cluster = TracedCluster.random(seed);
            families.add(cluster.family());
            layouts.add(cluster.table().chains().containsKey("lb-1-endpoints"));
            Function<TracedPacket, Trace> tracer = cluster.tracer();
            for (Question question : cluster.questions()) {
                promised.addAll(QuestionedNetwork.promised(question.packet(), tracer.apply(question.packet())));
            }
        }
        assertThat(families).containsExactlyInAnyOrder(IpFamily.values());
        assertThat(layouts).containsExactlyInAnyOrder(true, false);
        assertThat(promised).contains("DROP", "REJECT");
        for (IpFamily family : IpFamily.values()) {
            assertThat(promised)
                    .contains("LOCAL_SERVER sees " + RoutedNetwork.podGateway(family))
                    .contains("LOCAL_SERVER sees " + Host.LOCAL_CLIENT.address(family))
                    .contains("REMOTE_SERVER sees " + Host.NODE.address(family))
                    .contains("REMOTE_SERVER sees " + Host.LOCAL_CLIENT.address(family))
                    .contains("NODE sees " + Host.LOCAL_CLIENT.address(family))
                    .contains("NODE sees " + Host.NODE.address(family));
        }
    }
}
