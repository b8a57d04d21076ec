package dev.nodepath.proxy.iptables;

import static org.assertj.core.api.Assertions.assertThat;

import dev.nodepath.linux.address.IpFamily;
import dev.nodepath.linux.conntrack.PacketCounters;
import dev.nodepath.linux.iptables.Iptables;
import dev.nodepath.linux.iptables.IptablesNamespace;
import dev.nodepath.linux.iptables.RestoreText;
import dev.nodepath.linux.iptables.SavedTable;
import dev.nodepath.linux.iptables.Table;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** After our text the kernel holds the same rules as after kube-proxy's. */
@Tag("netns")
class RecordingNetnsTest {
    @ParameterizedTest
    @MethodSource("dev.nodepath.proxy.iptables.Recording#all")
    void leavesTheSameRulesAsKubeProxy(Recording recording) throws Exception {
        try (IptablesNamespace namespace = IptablesNamespace.create();
                PacketCounters counters = namespace.packetCounters()) {
            CountedPackets.createAll(counters);
            for (IpFamily family : IpFamily.values()) {
                Iptables iptables = namespace.iptables(family);
                iptables.restore(
                        RestoreText.complete(IptablesRules.of(recording.snapshot(), recording.config(), family)));
                Map<Table, SavedTable> tables = new EnumMap<>(Table.class);
                for (Table table : List.of(Table.FILTER, Table.NAT)) {
                    tables.put(table, SavedTable.parse(iptables.save(table)));
                }
                assertThat(ComparableRules.text(tables))
                        .as("%s %s", recording, family)
                        .isEqualTo(ComparableRules.text(recording.tables(family)));
            }
        }
    }
}
