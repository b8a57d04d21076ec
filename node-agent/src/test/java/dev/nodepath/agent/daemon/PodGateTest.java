package dev.nodepath.agent.daemon;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.nodepath.agent.install.HostFolders;
import dev.nodepath.agent.install.PolicyMark;
import dev.nodepath.cni.AddressGate;
import dev.nodepath.cni.PolicyTableGate;
import dev.nodepath.cni.protocol.CniException;
import dev.nodepath.linux.FakeLinuxNet;
import dev.nodepath.linux.address.IpAddress;
import dev.nodepath.linux.address.IpFamily;
import dev.nodepath.linux.namespace.NetworkNamespace;
import dev.nodepath.linux.nftables.NftChange;
import dev.nodepath.linux.nftables.NftTable;
import dev.nodepath.policy.PolicyFrame;
import dev.nodepath.policy.PolicyObjects;
import dev.nodepath.policy.object.PolicySnapshot;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class PodGateTest {
    private static final Map<String, String> POD = Map.of("K8S_POD_NAMESPACE", "shop", "K8S_POD_NAME", "web");
    private static final List<IpAddress> ADDRESSES = List.of(IpAddress.parse("10.244.1.2"));

    private final FakeLinuxNet net = new FakeLinuxNet();
    private final PolicyObjects objects = new PolicyObjects();
    private final PolicyMark mark;
    private final PodGate gate;

    PodGateTest(@TempDir Path root) {
        mark = new PolicyMark(
                new HostFolders(root, Path.of("/opt/nodepath"), Path.of("/opt/cni/bin"), Path.of("/etc/cni/net.d")));
        gate = new PodGate(net, objects, mark, Duration.ofMillis(1));
    }

    private AddressGate.Passage announce(String network, Map<String, String> args, List<IpAddress> addresses) {
        return gate.announce(network, args, Optional.empty(), addresses);
    }

    @Test
    void refusesAPodThatTheApiServerHasNotToldOf() {
        objects.enforced(Optional.of(PolicySnapshot.EMPTY));
        assertThatThrownBy(() -> announce("nodepath", POD, ADDRESSES).await())
                .isInstanceOfSatisfying(
                        CniException.class, e -> assertThat(e.code()).isEqualTo(11))
                .hasMessageContaining("those of Pod shop/web are not in force after 1 ms (--network-policy-wait)");
    }

    @Test
    void letsPodsPassWhereNothingIsEnforced() {
        assertThatCode(() -> announce("nodepath", POD, ADDRESSES).await()).doesNotThrowAnyException();
    }

    /** As after a restart of the node, until the API server tells of the policies. */
    @Test
    void refusesPodsWhilePoliciesOfBeforeAreNotInForceAgain() throws Exception {
        mark.put(false);
        assertThatThrownBy(() -> announce("nodepath", POD, ADDRESSES).await())
                .isInstanceOfSatisfying(
                        CniException.class, e -> assertThat(e.code()).isEqualTo(11))
                .hasMessageContaining("in force before the agent started")
                .hasMessageContaining("file " + mark.path() + " is there");
        objects.enforced(Optional.empty());
        assertThatCode(() -> announce("nodepath", POD, ADDRESSES).await())
                .as("the kernel does not take them for longer than the wait")
                .doesNotThrowAnyException();
    }

    /** As after an upgrade from an agent without the mark. */
    @ParameterizedTest
    @EnumSource
    void refusesPodsWhileATableOfBeforeStandsAlone(IpFamily family) throws Exception {
        NftTable table = PolicyTableGate.table(family);
        try (NetworkNamespace host = net.current()) {
            host.nftApply(List.of(new NftChange.AddTable(table)));
        }
        assertThatThrownBy(() -> announce("nodepath", POD, ADDRESSES).await())
                .isInstanceOfSatisfying(
                        CniException.class, e -> assertThat(e.code()).isEqualTo(11))
                .hasMessageContaining("table " + table + " is there");
    }

    @Test
    void doesNotWaitForWhatIsNoPod() {
        objects.enforced(Optional.of(PolicySnapshot.EMPTY));
        assertThatCode(() -> {
                    announce("nodepath", Map.of(), ADDRESSES).await();
                    announce("nodepath", POD, List.of()).await();
                    announce("a network of others", POD, ADDRESSES).await();
                })
                .doesNotThrowAnyException();
    }

    /** Its plugin cannot see the module of policies. */
    @ParameterizedTest
    @EnumSource
    void withoutAnAgentThePluginLooksForTheTableOfPolicies(IpFamily family) {
        assertThat(PolicyFrame.table(family)).isEqualTo(PolicyTableGate.table(family));
    }
}
