package dev.nodepath.agent.policy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.nodepath.cni.protocol.CniException;
import dev.nodepath.linux.address.IpAddress;
import dev.nodepath.policy.PolicyObjects;
import dev.nodepath.policy.object.PolicySnapshot;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class PodGateTest {
    private static final Map<String, String> POD = Map.of("K8S_POD_NAMESPACE", "shop", "K8S_POD_NAME", "web");
    private static final List<IpAddress> ADDRESSES = List.of(IpAddress.parse("10.244.1.2"));

    private final PolicyObjects objects = new PolicyObjects();
    private final PodGate gate = new PodGate(objects, Duration.ofMillis(1));

    @Test
    void refusesAPodThatTheApiServerHasNotToldOf() {
        objects.enforced(Optional.of(PolicySnapshot.EMPTY));
        assertThatThrownBy(() -> gate.announce("nodepath", POD, ADDRESSES).await())
                .isInstanceOfSatisfying(
                        CniException.class, e -> assertThat(e.code()).isEqualTo(11))
                .hasMessageContaining("those of Pod shop/web are not in force after 1 ms (--network-policy-wait)");
    }

    @Test
    void letsPodsPassWhereNothingIsEnforced() {
        assertThatCode(() -> gate.announce("nodepath", POD, ADDRESSES).await()).doesNotThrowAnyException();
    }

    @Test
    void doesNotWaitForWhatIsNoPod() {
        objects.enforced(Optional.of(PolicySnapshot.EMPTY));
        assertThatCode(() -> {
                    gate.announce("nodepath", Map.of(), ADDRESSES).await();
                    gate.announce("nodepath", POD, List.of()).await();
                    gate.announce("a network of others", POD, ADDRESSES).await();
                })
                .doesNotThrowAnyException();
    }
}
