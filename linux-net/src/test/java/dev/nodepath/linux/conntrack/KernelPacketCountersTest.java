package dev.nodepath.linux.conntrack;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.nodepath.linux.iptables.IptablesNamespace;
import dev.nodepath.linux.syscall.LinuxNetException;
import java.io.IOException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The real kernel, and a rule that counts. */
@Tag("netns")
class KernelPacketCountersTest {
    private final IptablesNamespace namespace;
    private final PacketCounters counters;

    KernelPacketCountersTest() throws IOException {
        namespace = IptablesNamespace.create();
        counters = namespace.packetCounters();
    }

    @BeforeEach
    void setUp() throws IOException {
        namespace.run("ip", "link", "set", "lo", "up");
    }

    @AfterEach
    void tearDown() throws IOException {
        counters.close();
        namespace.close();
    }

    private String rule(String action) throws IOException {
        return namespace.run(
                "iptables",
                action,
                "OUTPUT",
                "-p",
                "udp",
                "-m",
                "nfacct",
                "--nfacct-name",
                "datagrams",
                "-j",
                "ACCEPT");
    }

    @Test
    void aCounterCountsFrom0AndGoesOnWhenItIsMadeAgain() throws IOException {
        assertThat(counters.packets("datagrams")).isEmpty();
        counters.create("datagrams");
        assertThat(counters.packets("datagrams")).hasValue(0);
        String rule = rule("-A");
        String sent = namespace.run("bash", "-c", "for i in 1 2 3; do echo >/dev/udp/127.0.0.1/9; done");
        assertThat(counters.packets("datagrams")).as(rule + sent).hasValue(3);
        counters.create("datagrams");
        assertThat(counters.packets("datagrams")).hasValue(3);
    }

    @Test
    void aCounterGoesOnceNoRuleNamesIt() throws IOException {
        counters.delete("datagrams");
        counters.create("datagrams");
        assertThat(counters.isNamed("datagrams")).isFalse();
        assertThat(rule("-A")).isEmpty();
        assertThat(counters.isNamed("datagrams")).isTrue();
        assertThatThrownBy(() -> counters.delete("datagrams"))
                .isInstanceOf(LinuxNetException.class)
                .hasMessageContaining("delete packet counter datagrams: EBUSY");
        assertThat(rule("-D")).isEmpty();
        counters.delete("datagrams");
        assertThat(counters.packets("datagrams")).isEmpty();
        assertThat(counters.isNamed("datagrams")).isFalse();
    }

    @Test
    void aNameThatIsTooLongIsRefused() {
        assertThatThrownBy(() -> counters.create("a".repeat(32))).isInstanceOf(LinuxNetException.class);
    }
}
