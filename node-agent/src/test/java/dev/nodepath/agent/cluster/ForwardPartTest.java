package dev.nodepath.agent.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.nodepath.agent.parts.OneRound;
import dev.nodepath.endpoints.NodeInfo;
import dev.nodepath.linux.address.Cidr;
import dev.nodepath.linux.address.IpFamily;
import dev.nodepath.linux.iptables.FakeIptables;
import dev.nodepath.linux.iptables.IptablesException;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class ForwardPartTest {
    private final FakeIptables ipv4 = new FakeIptables(IpFamily.IPV4);
    private final FakeIptables ipv6 = new FakeIptables(IpFamily.IPV6);
    private Optional<NodeInfo> node = Optional.empty();
    private int opened;

    private final ForwardPart part = new ForwardPart(
            () -> {
                opened++;
                return List.of(ipv4, ipv6);
            },
            () -> node);

    private void run() throws Exception {
        part.run(new OneRound());
    }

    private void setPodCidrs(String... podCidrs) {
        node = Optional.of(new NodeInfo(
                "n1", "", List.of(), List.of(podCidrs).stream().map(Cidr::parse).toList()));
    }

    @Test
    void acceptsWhatThePodsOfEachFamilySendAndGet() throws Exception {
        run();
        setPodCidrs();
        run();
        assertThat(ipv4.restored()).as("before the podCIDRs are known").isEmpty();

        setPodCidrs("10.244.1.0/24", "fd00:244:1::/64");
        run();
        assertThat(ipv4.save())
                .contains(
                        "-A FORWARD -m comment --comment \"nodepath pods\" -j NODEPATH-FORWARD\n",
                        "-A NODEPATH-FORWARD -s 10.244.1.0/24 -j ACCEPT\n",
                        "-A NODEPATH-FORWARD -d 10.244.1.0/24 -j ACCEPT\n")
                .doesNotContain("fd00");
        assertThat(ipv6.save()).contains("-s fd00:244:1::/64 -j ACCEPT").doesNotContain("10.244");
        assertThat(opened).isEqualTo(1);
    }

    @Test
    void aFamilyThatFailsDoesNotKeepTheOther() throws Exception {
        setPodCidrs("10.244.1.0/24", "fd00:244:1::/64");
        ipv4.failNext();
        assertThatThrownBy(this::run).isInstanceOf(IptablesException.class);
        assertThat(ipv6.save()).contains("-j NODEPATH-FORWARD");
        run();
        assertThat(ipv4.save()).contains("-j NODEPATH-FORWARD");
        assertThat(opened).as("commands, whose watch stays open").isEqualTo(1);
    }

    @Test
    void isUpWhereTheHostHasNoIptables() throws Exception {
        setPodCidrs("10.244.1.0/24");
        OneRound running = new OneRound();
        new ForwardPart(List::of, () -> node).run(running);
        assertThat(running.isUp()).isTrue();
    }
}
