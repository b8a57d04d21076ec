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
        assertThatThrownBy(() -> gate.pass(POD, ADDRESSES))
                .isInstanceOfSatisfying(
                        CniException.class, e -> assertThat(e.code()).isEqualTo(11))
                .hasMessageContaining("Pod shop/web within 1 ms (--network-policy-wait)");
    }

    @Test
    void letsPodsPassWhereNothingIsEnforced() {
        assertThatCode(() -> gate.pass(POD, ADDRESSES)).doesNotThrowAnyException();
    }

    @Test
    void doesNotWaitForWhatIsNoPod() {
        objects.enforced(Optional.of(PolicySnapshot.EMPTY));
        assertThatCode(() -> {
                    gate.pass(Map.of(), ADDRESSES);
                    gate.pass(POD, List.of());
                })
                .doesNotThrowAnyException();
    }
}
