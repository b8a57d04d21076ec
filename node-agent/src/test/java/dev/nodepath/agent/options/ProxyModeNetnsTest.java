package dev.nodepath.agent.options;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.nodepath.linux.address.IpFamily;
import dev.nodepath.linux.iptables.FakeIptables;
import dev.nodepath.linux.iptables.IptablesException;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The rules of a mode in nf_tables are removed from the kernel, so this runs in a namespace of its own. */
@Tag("netns")
class ProxyModeNetnsTest {
    @ParameterizedTest
    @CsvSource({"USERSPACE, KUBE-PORTALS-HOST", "IPTABLES, KUBE-SERVICES"})
    void theFailureOfOneFamilyDoesNotKeepTheOther(ProxyMode mode, String chain) throws Exception {
        FakeIptables failing = new FakeIptables(IpFamily.IPV4);
        FakeIptables other = new FakeIptables(IpFamily.IPV6);
        for (FakeIptables iptables : List.of(failing, other)) {
            iptables.restore("*nat\n:" + chain + " - [0:0]\nCOMMIT\n");
        }
        failing.failNext();

        assertThatThrownBy(() -> mode.removeRules(List.of(failing, other))).isInstanceOf(IptablesException.class);

        assertThat(failing.save()).contains(chain);
        assertThat(other.save()).doesNotContain(chain);
    }
}
