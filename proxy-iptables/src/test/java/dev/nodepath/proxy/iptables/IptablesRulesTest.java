package dev.nodepath.proxy.iptables;

import static dev.nodepath.linux.address.IpFamily.IPV4;
import static dev.nodepath.linux.address.IpFamily.IPV6;
import static org.assertj.core.api.Assertions.assertThat;

import dev.nodepath.endpoints.DetectLocal;
import dev.nodepath.endpoints.NodePortAddresses;
import dev.nodepath.endpoints.ServiceSnapshot;
import dev.nodepath.endpoints.Snapshots;
import dev.nodepath.linux.address.Cidr;
import dev.nodepath.linux.address.IpAddress;
import dev.nodepath.linux.address.IpFamily;
import dev.nodepath.linux.iptables.RestoreText;
import dev.nodepath.linux.iptables.Rule;
import dev.nodepath.linux.iptables.RuleSet;
import dev.nodepath.linux.iptables.Table;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class IptablesRulesTest {
    private static final IptablesConfig CONFIG = IptablesConfig.DEFAULTS.with(draft -> draft.detectLocal =
            new DetectLocal.ClusterCidr(List.of(Cidr.parse("10.244.0.0/16"), Cidr.parse("fd00:10:244::/56"))));

    private static RuleSet rules(Snapshots snapshot, IptablesConfig config, IpFamily family) {
        return IptablesRules.of(snapshot.build(), config, family);
    }

    private static RuleSet scaffold(IptablesConfig config, IpFamily family) {
        return IptablesRules.of(ServiceSnapshot.EMPTY, config, family);
    }

    /** The rules that the snapshot has and an empty one has not, chain by chain. */
    private static String added(Snapshots snapshot, IptablesConfig config, IpFamily family) {
        RuleSet without = scaffold(config, family);
        RuleSet with = rules(snapshot, config, family);
        StringBuilder text = new StringBuilder();
        for (Table table : List.of(Table.FILTER, Table.NAT)) {
            with.chains(table).forEach((chain, rules) -> {
                List<Rule> known = without.chains(table).getOrDefault(chain, List.of());
                rules.stream()
                        .filter(rule -> !known.contains(rule))
                        .forEach(rule -> text.append(table + " " + chain + " " + rule + "\n"));
            });
        }
        return text.toString();
    }

    @Test
    void writesTheScaffoldOfIpv4() {
        assertThat(RestoreText.complete(scaffold(CONFIG, IPV4))).isEqualTo("""
                *filter
                :KUBE-EXTERNAL-SERVICES - [0:0]
                :KUBE-FIREWALL - [0:0]
                :KUBE-FORWARD - [0:0]
                :KUBE-NODEPORTS - [0:0]
                :KUBE-PROXY-FIREWALL - [0:0]
                :KUBE-SERVICES - [0:0]
                -A KUBE-FIREWALL -m comment --comment "block incoming localnet connections" -d 127.0.0.0/8 ! -s 127.0.0.0/8 -m conntrack ! --ctstate RELATED,ESTABLISHED,DNAT -j DROP
                -A KUBE-FORWARD -m conntrack --ctstate INVALID -j DROP
                -A KUBE-FORWARD -m comment --comment "kubernetes forwarding rules" -m mark --mark 0x00004000/0x00004000 -j ACCEPT
                -A KUBE-FORWARD -m comment --comment "kubernetes forwarding conntrack rule" -m conntrack --ctstate RELATED,ESTABLISHED -j ACCEPT
                -I INPUT 1 -m conntrack --ctstate NEW -m comment --comment "kubernetes load balancer firewall" -j KUBE-PROXY-FIREWALL
                -I INPUT 2 -m comment --comment "kubernetes health check service ports" -j KUBE-NODEPORTS
                -I INPUT 3 -m conntrack --ctstate NEW -m comment --comment "kubernetes externally-visible service portals" -j KUBE-EXTERNAL-SERVICES
                -I INPUT 4 -j KUBE-FIREWALL
                -I FORWARD 1 -m conntrack --ctstate NEW -m comment --comment "kubernetes load balancer firewall" -j KUBE-PROXY-FIREWALL
                -I FORWARD 2 -m comment --comment "kubernetes forwarding rules" -j KUBE-FORWARD
                -I FORWARD 3 -m conntrack --ctstate NEW -m comment --comment "kubernetes service portals" -j KUBE-SERVICES
                -I FORWARD 4 -m conntrack --ctstate NEW -m comment --comment "kubernetes externally-visible service portals" -j KUBE-EXTERNAL-SERVICES
                -I OUTPUT 1 -m conntrack --ctstate NEW -m comment --comment "kubernetes load balancer firewall" -j KUBE-PROXY-FIREWALL
                -I OUTPUT 2 -m conntrack --ctstate NEW -m comment --comment "kubernetes service portals" -j KUBE-SERVICES
                -I OUTPUT 3 -j KUBE-FIREWALL
                COMMIT
                *nat
                :KUBE-MARK-MASQ - [0:0]
                :KUBE-NODEPORTS - [0:0]
                :KUBE-POSTROUTING - [0:0]
                :KUBE-SERVICES - [0:0]
                -A KUBE-MARK-MASQ -j MARK --or-mark 0x00004000
                -A KUBE-POSTROUTING -m mark ! --mark 0x00004000/0x00004000 -j RETURN
                -A KUBE-POSTROUTING -j MARK --xor-mark 0x00004000
                -A KUBE-POSTROUTING -m comment --comment "kubernetes service traffic requiring SNAT" -j MASQUERADE --random-fully
                -A KUBE-SERVICES -m comment --comment "kubernetes service nodeports; NOTE: this must be the last rule in this chain" -m addrtype --dst-type LOCAL -j KUBE-NODEPORTS
                -I PREROUTING 1 -m comment --comment "kubernetes service portals" -j KUBE-SERVICES
                -I OUTPUT 1 -m comment --comment "kubernetes service portals" -j KUBE-SERVICES
                -I POSTROUTING 1 -m comment --comment "kubernetes postrouting rules" -j KUBE-POSTROUTING
                COMMIT
                """);
    }

    @Test
    void writesNoLocalnetRulesForIpv6() {
        RuleSet rules = scaffold(CONFIG, IPV6);
        assertThat(rules.chains(Table.FILTER).get(Chains.FIREWALL)).isEmpty();
        assertThat(rules.chains(Table.NAT).get(Chains.SERVICES))
                .hasToString(
                        "[-m comment --comment \"kubernetes service nodeports; NOTE: this must be the last rule in this"
                                + " chain\" -m addrtype --dst-type LOCAL ! -d ::1 -j KUBE-NODEPORTS]");
    }

    @Test
    void keepsNodePortsOffLocalhostWhenToldTo() {
        RuleSet rules = scaffold(CONFIG.with(draft -> draft.localhostNodePorts = false), IPV4);
        assertThat(rules.chains(Table.NAT).get(Chains.SERVICES)).asString().contains("! -d 127.0.0.0/8");
        // The kubelet's rule in the same chain must not be lost.
        assertThat(rules.chains(Table.FILTER).get(Chains.FIREWALL)).hasSize(1);
    }

    @Test
    void putsTheMasqueradeBitIntoEveryRuleThatUsesIt() {
        IptablesConfig config = IptablesConfig.DEFAULTS.with(draft -> {
            draft.masqueradeBit = 31;
            draft.randomFully = false;
            draft.dropInvalid = false;
        });
        String text = RestoreText.complete(scaffold(config, IPV4));
        assertThat(text.lines().filter(line -> line.contains("0x80000000"))).hasSize(4);
        assertThat(text).contains("-j MASQUERADE\n").doesNotContain("INVALID", "0x00004000");
    }

    @Test
    void spreadsAClusterIpOverItsEndpoints() {
        Snapshots snapshot = Snapshots.service("default/web:http", "10.96.1.1", 80)
                .endpoint("10.244.0.10:8080", "n1")
                .endpoint("10.244.1.10:8080", "n1")
                .endpoint("10.244.1.2:8080", "n1")
                .unreadyEndpoint("10.244.1.3:8080", "n1");
        assertThat(added(snapshot, CONFIG, IPV4)).isEqualTo("""
                nat KUBE-SEP-3MRQQDVYO2GBIBDV -m comment --comment "default/web:http" -s 10.244.0.10 -j KUBE-MARK-MASQ
                nat KUBE-SEP-3MRQQDVYO2GBIBDV -m comment --comment "default/web:http" -p tcp -m tcp -j DNAT --to-destination 10.244.0.10:8080
                nat KUBE-SEP-GWQABTP5GBYXHJY5 -m comment --comment "default/web:http" -s 10.244.1.10 -j KUBE-MARK-MASQ
                nat KUBE-SEP-GWQABTP5GBYXHJY5 -m comment --comment "default/web:http" -p tcp -m tcp -j DNAT --to-destination 10.244.1.10:8080
                nat KUBE-SEP-UIQK3OSOSTRHRPBX -m comment --comment "default/web:http" -s 10.244.1.2 -j KUBE-MARK-MASQ
                nat KUBE-SEP-UIQK3OSOSTRHRPBX -m comment --comment "default/web:http" -p tcp -m tcp -j DNAT --to-destination 10.244.1.2:8080
                nat KUBE-SERVICES -m comment --comment "default/web:http cluster IP" -p tcp -m tcp -d 10.96.1.1 --dport 80 -j KUBE-SVC-CDGGSHYLG3RE2FKL
                nat KUBE-SVC-CDGGSHYLG3RE2FKL -m comment --comment "default/web:http cluster IP" -p tcp -m tcp -d 10.96.1.1 --dport 80 ! -s 10.244.0.0/16 -j KUBE-MARK-MASQ
                nat KUBE-SVC-CDGGSHYLG3RE2FKL -m comment --comment "default/web:http -> 10.244.0.10:8080" -m statistic --mode random --probability 0.3333333333 -j KUBE-SEP-3MRQQDVYO2GBIBDV
                nat KUBE-SVC-CDGGSHYLG3RE2FKL -m comment --comment "default/web:http -> 10.244.1.10:8080" -m statistic --mode random --probability 0.5000000000 -j KUBE-SEP-GWQABTP5GBYXHJY5
                nat KUBE-SVC-CDGGSHYLG3RE2FKL -m comment --comment "default/web:http -> 10.244.1.2:8080" -j KUBE-SEP-UIQK3OSOSTRHRPBX
                """);
    }

    @Test
    void masqueradesNoSourceButTheHairpinWithoutAPodNetwork() {
        Snapshots snapshot =
                Snapshots.service("default/web:http", "10.96.1.1", 80).endpoint("10.244.0.10:8080", "n1");
        assertThat(added(snapshot, IptablesConfig.DEFAULTS, IPV4).lines().filter(line -> line.contains("MARK-MASQ")))
                .containsExactly(
                        "nat KUBE-SEP-3MRQQDVYO2GBIBDV -m comment --comment \"default/web:http\" -s 10.244.0.10"
                                + " -j KUBE-MARK-MASQ");
    }

    @Test
    void keepsTheWayToTheNodePortsLast() {
        Snapshots snapshot = Snapshots.service("default/np:http", "10.96.1.6", 80)
                .nodePort(30006)
                .endpoint("10.244.0.6:8080", "n1");
        Map<String, List<Rule>> nat = rules(snapshot, CONFIG, IPV4).chains(Table.NAT);
        assertThat(nat.get(Chains.SERVICES)).hasSize(2).last().asString().endsWith("-j KUBE-NODEPORTS");
    }

    @Test
    void servesNodePortsOnTheAddressesGiven() {
        IptablesConfig config = CONFIG.with(draft -> {
            draft.hostAddresses = List.of(
                    IpAddress.parse("192.168.1.2"), IpAddress.parse("127.0.0.1"), IpAddress.parse("192.168.0.2"));
            draft.nodePortAddresses = NodePortAddresses.parse(List.of("192.168.0.0/16", "127.0.0.0/8"));
        });
        assertThat(nodePortJumps(config, IPV4))
                .containsExactly(
                        "-d 127.0.0.1 -j KUBE-NODEPORTS",
                        "-d 192.168.0.2 -j KUBE-NODEPORTS",
                        "-d 192.168.1.2 -j KUBE-NODEPORTS");
        assertThat(nodePortJumps(config.with(draft -> draft.localhostNodePorts = false), IPV4))
                .containsExactly("-d 192.168.0.2 -j KUBE-NODEPORTS", "-d 192.168.1.2 -j KUBE-NODEPORTS");
        assertThat(nodePortJumps(config, IPV6))
                .containsExactly("-m addrtype --dst-type LOCAL ! -d ::1 -j KUBE-NODEPORTS");
    }

    private static List<String> nodePortJumps(IptablesConfig config, IpFamily family) {
        return scaffold(config, family).chains(Table.NAT).getOrDefault(Chains.SERVICES, List.of()).stream()
                .map(rule -> rule.toString().replaceAll("^-m comment --comment \"[^\"]*\" ", ""))
                .toList();
    }
}
