package dev.nodepath.agent.daemon;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.nodepath.agent.metrics.PolicyMetrics;
import dev.nodepath.endpoints.NamespacedName;
import dev.nodepath.linux.KernelLinuxNet;
import dev.nodepath.linux.address.IpAddress;
import dev.nodepath.linux.conntrack.Conntrack;
import dev.nodepath.linux.conntrack.ConntrackFlow;
import dev.nodepath.linux.conntrack.FakeConntrack;
import dev.nodepath.linux.syscall.Errno;
import dev.nodepath.linux.syscall.LinuxNetException;
import dev.nodepath.policy.PolicyNode;
import dev.nodepath.policy.PolicyObjects;
import dev.nodepath.policy.object.Direction;
import dev.nodepath.policy.object.LabelSelector;
import dev.nodepath.policy.object.NetworkPolicy;
import dev.nodepath.policy.object.PolicyPod;
import dev.nodepath.policy.object.PolicySnapshot;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.pcollections.HashTreePMap;
import org.pcollections.PMap;

/** Pod 10.244.1.2 of the node allows nothing to come in. */
class RefusedFlowsPartTest {
    private static final NamespacedName NAME = new NamespacedName("default", "web");
    private static final IpAddress POD = IpAddress.parse("10.244.1.2");
    private static final IpAddress HOST = IpAddress.parse("10.244.1.1");
    private static final IpAddress CLIENT = IpAddress.parse("192.0.2.1");
    private static final PolicySnapshot OPEN = snapshot(HashTreePMap.empty());
    private static final PolicySnapshot DENIED = snapshot(HashTreePMap.singleton(
            NAME, new NetworkPolicy(NAME, new LabelSelector(List.of()), Map.of(Direction.INGRESS, List.of()))));

    private final FakeConntrack conntrack = new FakeConntrack();
    private final RefusedFlowsPart part = new RefusedFlowsPart(
            new KernelLinuxNet(),
            new PolicyNode("n1", "cni0", false, true, 0),
            new PolicyObjects(),
            new PolicyMetrics(new PrometheusRegistry()));

    private static PolicySnapshot snapshot(PMap<NamespacedName, NetworkPolicy> policies) {
        return new PolicySnapshot(
                HashTreePMap.empty(),
                HashTreePMap.singleton(NAME, new PolicyPod(NAME, "", "n1", Map.of(), List.of(POD), List.of())),
                policies,
                HashTreePMap.empty(),
                HashTreePMap.empty());
    }

    private static ConntrackFlow flow(IpAddress from, int port) {
        return new ConntrackFlow(
                6,
                new ConntrackFlow.Tuple(from, POD, port, 80, 0),
                new ConntrackFlow.Tuple(POD, from, 80, port, 0),
                0,
                port);
    }

    private boolean endRefused(PolicySnapshot snapshot) throws LinuxNetException {
        return part.endRefused(conntrack, snapshot, List.of(HOST));
    }

    @Test
    void endsWhatIsRefusedByOneListAndLeavesProbes() throws Exception {
        ConntrackFlow probe = flow(HOST, 1);
        conntrack.add(probe);
        conntrack.add(flow(CLIENT, 2));
        conntrack.add(flow(IpAddress.parse("10.244.2.2"), 3));
        assertThat(endRefused(DENIED)).isTrue();
        assertThat(conntrack.flows()).containsExactly(probe);
        assertThat(conntrack.listings()).containsExactly("all");
    }

    @Test
    void withoutPoliciesItListsNothing() throws Exception {
        conntrack.add(flow(CLIENT, 1));
        assertThat(endRefused(OPEN)).isTrue();
        assertThat(conntrack.listings()).isEmpty();
    }

    @Test
    void comesAgainForWhatItCannotEndAtOnce() throws Exception {
        for (int i = 0; i <= Conntrack.FOUND_MAX; i++) {
            conntrack.add(flow(CLIENT, i));
        }
        assertThat(endRefused(DENIED)).isFalse();
        assertThat(conntrack.flows()).hasSize(1);
        assertThat(endRefused(DENIED)).isTrue();
        assertThat(conntrack.flows()).isEmpty();
    }

    @Test
    void failsWithTheKernel() {
        conntrack.fail(Errno.EPERM);
        assertThatThrownBy(() -> endRefused(DENIED)).isInstanceOf(LinuxNetException.class);
    }
}
