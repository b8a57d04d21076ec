package dev.nodepath.proxy.nftables;

import static org.assertj.core.api.Assertions.assertThat;

import dev.nodepath.endpoints.NodeInfo;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class SingleEndpointTest {
    @ParameterizedTest
    @CsvSource({
        "AUTO, '', false",
        "AUTO, v1.36.2, false",
        "AUTO, v1.37.0, true",
        "AUTO, v1.37.0-rc.1, true",
        "AUTO, v1.38.1+k3s1, true",
        "AUTO, v1.4, false",
        "AUTO, dev, false",
        "MAP, v1.37.0, false",
        "DNAT, v1.36.2, true"
    })
    void autoTakesTheFormOfTheNodesVersion(SingleEndpoint form, String version, boolean plain) {
        NodeInfo node = new NodeInfo("n1", "", List.of(), List.of(), false, version);
        assertThat(form.isPlain(node)).isEqualTo(plain);
    }

    @Test
    void unknownNodeHasTheOldForm() {
        assertThat(SingleEndpoint.AUTO.isPlain(null)).isFalse();
        assertThat(SingleEndpoint.DNAT.isPlain(null)).isTrue();
    }
}
