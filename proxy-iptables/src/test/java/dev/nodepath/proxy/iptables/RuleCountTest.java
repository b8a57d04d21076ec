package dev.nodepath.proxy.iptables;

import static org.assertj.core.api.Assertions.assertThat;

import dev.nodepath.endpoints.ServiceSnapshot;
import dev.nodepath.endpoints.Snapshots;
import dev.nodepath.linux.Cidr;
import dev.nodepath.linux.IpFamily;
import dev.nodepath.linux.iptables.RuleSet;
import dev.nodepath.linux.iptables.Table;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Pins how many rules a Service costs, so that growth is seen in review. */
class RuleCountTest {
    private static final IptablesConfig CONFIG =
            IptablesConfig.DEFAULTS.withClusterCidrs(List.of(Cidr.parse("10.244.0.0/16")));
    private static final int FILTER_SCAFFOLD = 4;
    private static final int NAT_SCAFFOLD = 5;

    @ParameterizedTest
    @CsvSource({
        // services, endpoints, node port, filter rules, nat rules
        "0, 0, false, 0, 0",
        "1, 0, false, 1, 0",
        "1, 0, true, 2, 0",
        "1, 1, false, 0, 5", // KUBE-SERVICES 1, SVC 1 + 1, SEP 2
        "1, 1, true, 0, 8", // and KUBE-NODEPORTS 1, EXT 2
        "1, 10, false, 0, 32",
        "10, 0, false, 10, 0",
        "10, 10, false, 0, 320",
        "10, 10, true, 0, 350",
    })
    void growsByThreeRulesAnEndpointAndTwoToFiveAService(
            int services, int endpoints, boolean nodePort, long filterRules, long natRules) {
        RuleSet rules = IptablesRules.of(snapshot(services, endpoints, nodePort), CONFIG, IpFamily.IPV4);
        assertThat(count(rules, Table.FILTER)).isEqualTo(FILTER_SCAFFOLD + filterRules);
        assertThat(count(rules, Table.NAT)).isEqualTo(NAT_SCAFFOLD + natRules);
    }

    private static ServiceSnapshot snapshot(int services, int endpoints, boolean nodePort) {
        if (services == 0) {
            return ServiceSnapshot.EMPTY;
        }
        Snapshots snapshot = Snapshots.service("ns/svc0", "10.96.0.0", 80);
        for (int i = 0; i < services; i++) {
            snapshot.andService("ns/svc" + i, "10.96.0." + i, 80).nodePort(nodePort ? 30000 + i : 0);
            for (int host = 1; host <= endpoints; host++) {
                snapshot.endpoint("10.244." + i + "." + host + ":8080", "n1");
            }
        }
        return snapshot.build();
    }

    private static long count(RuleSet rules, Table table) {
        return rules.chains(table).values().stream().mapToLong(List::size).sum();
    }
}
