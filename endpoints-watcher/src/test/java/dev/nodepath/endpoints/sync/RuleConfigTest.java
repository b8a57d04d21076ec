package dev.nodepath.endpoints.sync;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.nodepath.endpoints.DetectLocal;
import dev.nodepath.endpoints.NodeInfo;
import dev.nodepath.endpoints.NodePortAddresses;
import dev.nodepath.endpoints.Snapshots;
import dev.nodepath.linux.address.IpAddress;
import dev.nodepath.linux.address.IpFamily;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class RuleConfigTest {
    private static RuleConfig config(int bit, String nodePorts, IpAddress... host) {
        return new RuleConfig(
                "n1", DetectLocal.NONE, false, bit, NodePortAddresses.parse(List.of(nodePorts)), List.of(host));
    }

    @ParameterizedTest
    @ValueSource(ints = {-1, 32})
    void aPacketMarkHas32Bits(int bit) {
        assertThatThrownBy(() -> config(bit, "primary")).hasMessage("masqueradeBit: " + bit + " (expected: 0 to 31)");
    }

    @Test
    void loopbackAndTheNodeAreTheHostIfNothingElseIsKnown() {
        NodeInfo node = Snapshots.service("ns/web", "10.96.0.1", 80)
                .node("n1", "192.168.0.2", "")
                .build()
                .nodes()
                .get("n1");
        IpAddress loopback = IpAddress.parse("127.0.0.1");
        assertThat(config(14, "127.0.0.0/8").nodePortIps(IpFamily.IPV4, null)).containsExactly(loopback);
        assertThat(config(14, "primary").nodePortIps(IpFamily.IPV4, node))
                .containsExactly(IpAddress.parse("192.168.0.2"));
        assertThat(config(14, "primary", loopback).nodePortIps(IpFamily.IPV4, node))
                .isEmpty();
        assertThat(config(14, "0.0.0.0/0").nodePortIps(IpFamily.IPV4, node)).isEmpty();
    }
}
