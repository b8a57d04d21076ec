package dev.nodepath.proxy.iptables;

import static org.assertj.core.api.Assertions.assertThat;

import dev.nodepath.endpoints.DetectLocal;
import dev.nodepath.endpoints.ServiceSnapshot;
import dev.nodepath.endpoints.Snapshots;
import dev.nodepath.linux.address.Cidr;
import dev.nodepath.linux.address.IpFamily;
import dev.nodepath.linux.iptables.RuleSet;
import dev.nodepath.linux.iptables.Table;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Pins how many rules a Service costs, so that growth is seen in review. */
class RuleCountTest {
    private static final IptablesConfig CONFIG = IptablesConfig.DEFAULTS.with(
            draft -> draft.detectLocal = new DetectLocal.ClusterCidr(List.of(Cidr.parse("10.244.0.0/16"))));
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

    @ParameterizedTest
    @CsvSource({
        // asked for, endpoints, filter rules, nat rules
        "nothing, 10, 0, 36", // KUBE-SERVICES 2, KUBE-NODEPORTS 1, EXT 2, SVC 1 + 10, SEP 20
        "affinity, 10, 0, 46", // SVC + 10
        "ranges, 10, 1, 38", // FW 2, KUBE-PROXY-FIREWALL 1
        "external, 10, 1, 48", // EXT 4, SVL 10, KUBE-NODEPORTS 1 in filter
        "internal, 10, 0, 46", // SVL 1 + 10, SVC without the masquerading rule
    })
    void aLoadBalancerCostsWhatItAsksFor(String wish, int endpoints, long filterRules, long natRules) {
        Snapshots snapshot =
                Snapshots.service("ns/svc", "10.96.0.0", 80).nodePort(30000).loadBalancerIps("198.51.100.1");
        switch (wish) {
            case "affinity" -> snapshot.affinity(600);
            case "ranges" -> snapshot.sourceRanges("203.0.113.0/24");
            case "external" -> snapshot.externalTrafficLocal().healthCheckNodePort(32000);
            case "internal" -> snapshot.internalTrafficLocal();
            default -> assertThat(wish).isEqualTo("nothing");
        }
        for (int host = 1; host <= endpoints; host++) {
            snapshot.endpoint("10.244.0." + host + ":8080", "n1");
        }
        RuleSet rules = IptablesRules.of(snapshot.build(), CONFIG.with(draft -> draft.nodeName = "n1"), IpFamily.IPV4);
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
