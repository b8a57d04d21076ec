package dev.nodepath.proxy.iptables;

import static org.assertj.core.api.Assertions.assertThat;

import dev.nodepath.endpoints.ChangeSet;
import dev.nodepath.endpoints.RandomSnapshots;
import dev.nodepath.endpoints.ServiceSnapshot;
import dev.nodepath.endpoints.Snapshots;
import dev.nodepath.linux.FakeLinuxNet;
import dev.nodepath.linux.address.IpFamily;
import dev.nodepath.linux.conntrack.PacketCounters;
import dev.nodepath.linux.iptables.IptablesNamespace;
import dev.nodepath.linux.iptables.RecordingIptables;
import dev.nodepath.linux.iptables.Table;
import dev.nodepath.linux.syscall.LinuxNetException;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketException;
import java.net.StandardProtocolFamily;
import java.nio.channels.SocketChannel;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The real commands: the fate of our rules and foreign ones from sync to sync and from process to process. */
@Tag("netns")
class IptablesProxyNetnsTest {
    private final IptablesNamespace namespace;
    private final List<RecordingIptables> recordings = new ArrayList<>();

    IptablesProxyNetnsTest() throws IOException {
        namespace = IptablesNamespace.create();
    }

    @AfterEach
    void delete() throws IOException {
        namespace.close();
    }

    /** As a process has it that has just been started. */
    private IptablesProxy proxy(IpFamily family) throws LinuxNetException {
        RecordingIptables iptables = new RecordingIptables(namespace.iptables(family));
        recordings.add(iptables);
        return new IptablesProxy(
                IptablesConfig.DEFAULTS, List.of(iptables), new FakeLinuxNet().current(), Optional.empty());
    }

    private static Snapshots web() {
        return Snapshots.service("default/web:http", "10.96.1.1,fd00:10:96::1", 80)
                .nodePort(30001)
                .endpoint("10.244.0.10:8080", "n1")
                .endpoint("[fd00:10:244::10]:8080", "n1")
                .andService("default/other", "10.96.1.2,fd00:10:96::2", 443)
                .endpoint("10.244.0.20:8443", "n1")
                .endpoint("[fd00:10:244::20]:8443", "n1")
                .andService("default/empty", "10.96.1.3,fd00:10:96::3", 80)
                .nodePort(30003);
    }

    private String saved(IpFamily family) throws IOException {
        StringBuilder text = new StringBuilder();
        for (Table table : Table.values()) {
            text.append(namespace.iptables(family).save(table).replaceAll("(?m)^#.*\n", ""));
        }
        return text.toString();
    }

    private static Set<String> lines(String text) {
        return new LinkedHashSet<>(text.lines().toList());
    }

    @ParameterizedTest
    @EnumSource
    void aSecondProcessChangesNothing(IpFamily family) throws Exception {
        proxy(family).sync(web().build(), ChangeSet.NONE);
        String before = saved(family);
        assertThat(before).contains("DNAT", "REJECT");
        proxy(family).sync(web().build(), ChangeSet.NONE);
        assertThat(saved(family)).isEqualTo(before);
    }

    @ParameterizedTest
    @EnumSource
    void aNewEndpointChangesItsServiceAlone(IpFamily family) throws Exception {
        IptablesProxy proxy = proxy(family);
        proxy.sync(web().build(), ChangeSet.NONE);
        Set<String> before = lines(saved(family));
        recordings.forEach(RecordingIptables::forget);
        ServiceSnapshot scaled = web().andService("default/web:http", "10.96.1.1,fd00:10:96::1", 80)
                .nodePort(30001)
                .endpoint("10.244.0.11:8080", "n1")
                .endpoint("[fd00:10:244::11]:8080", "n1")
                .build();
        proxy.sync(scaled, ChangeSet.of(scaled.services().keySet()));

        Set<String> added = lines(saved(family));
        added.removeAll(before);
        before.removeAll(lines(saved(family)));
        assertThat(before).as("gone").singleElement().asString().contains("default/web:http -> ");
        assertThat(added)
                .as("new: one chain of two rules, and the choice between two endpoints")
                .hasSize(5)
                .anyMatch(line -> line.contains("--probability 0.5"));
        assertThat(recordings.stream().flatMap(each -> each.restored().stream()).toList())
                .singleElement()
                .satisfies(text -> assertThat(text.lines())
                        .filteredOn(line -> line.startsWith(":"))
                        .hasSize(2)
                        .allMatch(line -> line.matches(":KUBE-(SVC|SEP)-.*")));
    }

    @ParameterizedTest
    @EnumSource
    void rulesOfOthersSurviveAndStaleChainsGo(IpFamily family) throws Exception {
        namespace.iptables(family).restore("""
                *filter
                :ALIEN - [0:0]
                -A ALIEN -p tcp -j RETURN
                -A FORWARD -j ALIEN
                COMMIT
                *nat
                :KUBE-SVC-STALE - [0:0]
                :KUBE-SEP-STALE - [0:0]
                :KUBE-SERVICES - [0:0]
                -A KUBE-SVC-STALE -j KUBE-SEP-STALE
                -A KUBE-SERVICES -p tcp -j KUBE-SVC-STALE
                -A OUTPUT -m comment --comment "kubernetes service portals" -j KUBE-SERVICES
                -A OUTPUT -p udp -j ACCEPT
                COMMIT
                """);
        proxy(family).sync(web().build(), ChangeSet.NONE);
        assertThat(saved(family))
                .contains("-A ALIEN -p tcp -j RETURN\n", "-A FORWARD -j ALIEN\n", "-A OUTPUT -p udp -j ACCEPT\n")
                .containsOnlyOnce("-A OUTPUT -m comment --comment \"kubernetes service portals\" -j KUBE-SERVICES\n")
                .doesNotContain("STALE");

        IptablesProxy.removeRules(namespace.iptables(family));
        assertThat(saved(family))
                .contains("-A ALIEN -p tcp -j RETURN\n", "-A FORWARD -j ALIEN\n", "-A OUTPUT -p udp -j ACCEPT\n");
        assertThat(lines(saved(family)))
                .filteredOn(line -> line.contains("KUBE-"))
                .allMatch(line -> line.contains("KUBE-FIREWALL"));
    }

    /** A proxy that starts anew goes on counting. */
    @Test
    void countsConnectionsToNodePortsOnLocalhost() throws Exception {
        namespace.run("ip", "link", "set", "lo", "up");
        try (PacketCounters counters = namespace.packetCounters()) {
            for (int connections = 1; connections <= 2; connections++) {
                IptablesProxy proxy = new IptablesProxy(
                        IptablesConfig.DEFAULTS,
                        List.of(namespace.iptables(IpFamily.IPV4), namespace.iptables(IpFamily.IPV6)),
                        new FakeLinuxNet().current(),
                        Optional.of(counters));
                proxy.sync(web().build(), ChangeSet.NONE);
                sendFirstPacket(new InetSocketAddress(InetAddress.getLoopbackAddress(), 30001));
                assertThat(proxy.packets(CountedPackets.LOCALHOST_NODE_PORTS)).hasValue(connections);
                assertThat(proxy.packets(CountedPackets.INVALID_DROPPED)).hasValue(0);
            }
        }
    }

    /** There is no route to the endpoint from here. The packet has met the rules when the call returns. */
    private void sendFirstPacket(InetSocketAddress address) throws Exception {
        namespace.opened().call(() -> {
            try (SocketChannel channel = SocketChannel.open(StandardProtocolFamily.INET)) {
                channel.configureBlocking(false);
                return channel.connect(address);
            } catch (SocketException e) {
                return false;
            }
        });
    }

    @Test
    void everyGeneratedSnapshotLoads() throws Exception {
        long seed = 7;
        RandomSnapshots snapshots = new RandomSnapshots(seed);
        IptablesProxy ipv4 = proxy(IpFamily.IPV4);
        IptablesProxy ipv6 = proxy(IpFamily.IPV6);
        int withEndpoints = 0;
        for (int round = 0; round < 20; round++) {
            ServiceSnapshot snapshot = snapshots.next();
            ipv4.sync(snapshot, ChangeSet.NONE);
            ipv6.sync(snapshot, ChangeSet.NONE);
            if (saved(IpFamily.IPV4).contains("KUBE-SEP")) {
                withEndpoints++;
            }
        }
        assertThat(withEndpoints).as("seed %d", seed).isGreaterThan(10);
        proxy(IpFamily.IPV4).sync(ServiceSnapshot.EMPTY, ChangeSet.NONE);
        assertThat(saved(IpFamily.IPV4)).as("seed %d", seed).doesNotContain("KUBE-SEP");
    }
}
