package dev.nodepath.proxy.iptables;

import static org.assertj.core.api.Assertions.assertThat;

import dev.nodepath.endpoints.DetectLocal;
import dev.nodepath.linux.address.Cidr;
import dev.nodepath.linux.address.IpFamily;
import java.util.List;
import org.junit.jupiter.api.Test;

/**
 * kube-proxy 1.36's rules for objects without a recording, worked out from its source: from the manifest to the rules.
 * Chain names have no hash here, and endpoints' own chains are left out if they show nothing.
 */
class UnrecordedInputsTest extends UnrecordedInputs {

    @Test
    void externalIpsOfTwoFamiliesAreServedEachByItsOwn() throws Exception {
        String[] objects = {WEB, """
            spec:
              clusterIPs: [10.96.0.1, 'fd00:96::1']
              externalIPs: [203.0.113.7, '2001:db8::7', 203.0.113.8]
              ports: [{port: 80}]
            """, slice("IPv4", "{port: 8080}", ready("10.244.0.2", "n1"))};
        assertThat(rules(CONFIG, IpFamily.IPV4, objects)).isEqualTo("""
                nat KUBE-EXT "masquerade traffic for ns/web external destinations" -j KUBE-MARK-MASQ
                nat KUBE-EXT -j KUBE-SVC
                nat KUBE-SERVICES "ns/web cluster IP" tcp -d 10.96.0.1 --dport 80 -j KUBE-SVC
                nat KUBE-SERVICES "ns/web external IP" tcp -d 203.0.113.7 --dport 80 -j KUBE-EXT
                nat KUBE-SERVICES "ns/web external IP" tcp -d 203.0.113.8 --dport 80 -j KUBE-EXT
                nat KUBE-SVC "ns/web cluster IP" tcp -d 10.96.0.1 --dport 80 ! -s 10.244.0.0/16 -j KUBE-MARK-MASQ
                nat KUBE-SVC "ns/web -> 10.244.0.2:8080" -j KUBE-SEP
                """);
        assertThat(rules(CONFIG, IpFamily.IPV6, objects)).isEqualTo("""
                filter KUBE-EXTERNAL-SERVICES "ns/web has no endpoints" tcp -d 2001:db8::7 --dport 80 -j REJECT
                filter KUBE-SERVICES "ns/web has no endpoints" tcp -d fd00:96::1 --dport 80 -j REJECT
                """);
    }

    @Test
    void aBalancerInModeProxyHasNoRulesAndItsRangesMeetTheOtherAddressAlone() throws Exception {
        assertThat(rules(CONFIG, IpFamily.IPV4, WEB, """
                        spec:
                          type: LoadBalancer
                          clusterIP: 10.96.0.1
                          ports: [{port: 80, nodePort: 30080}]
                          loadBalancerSourceRanges: [' 192.0.2.0/24', '2001:db8::/32', 198.51.100.9/24]
                        status: {loadBalancer: {ingress: [{ip: 1.2.3.4, ipMode: Proxy}, {ip: 5.6.7.8, ipMode: VIP}, {hostname: lb}]}}
                        """, slice("IPv4", "{port: 80}", ready("10.244.0.2", "n2"))))
                .isEqualTo("""
                        filter KUBE-PROXY-FIREWALL "ns/web traffic not accepted by KUBE-FW" tcp -d 5.6.7.8 --dport 80 -j DROP
                        nat KUBE-EXT "masquerade traffic for ns/web external destinations" -j KUBE-MARK-MASQ
                        nat KUBE-EXT -j KUBE-SVC
                        nat KUBE-FW "ns/web loadbalancer IP" -s 192.0.2.0/24 -j KUBE-EXT
                        nat KUBE-FW "ns/web loadbalancer IP" -s 198.51.100.0/24 -j KUBE-EXT
                        nat KUBE-FW "other traffic to ns/web will be dropped by KUBE-PROXY-FIREWALL"
                        nat KUBE-NODEPORTS "ns/web" tcp --dport 30080 -j KUBE-EXT
                        nat KUBE-SERVICES "ns/web cluster IP" tcp -d 10.96.0.1 --dport 80 -j KUBE-SVC
                        nat KUBE-SERVICES "ns/web loadbalancer IP" tcp -d 5.6.7.8 --dport 80 -j KUBE-FW
                        nat KUBE-SVC "ns/web cluster IP" tcp -d 10.96.0.1 --dport 80 ! -s 10.244.0.0/16 -j KUBE-MARK-MASQ
                        nat KUBE-SVC "ns/web -> 10.244.0.2:80" -j KUBE-SEP
                        """);
    }

    /** Ranges of the other family have no effect: kube-proxy ignores them, and makes no firewall. */
    @Test
    void rangesOfTheOtherFamilyDoNotCount() throws Exception {
        assertThat(rules(CONFIG, IpFamily.IPV4, WEB, """
                        spec:
                          type: LoadBalancer
                          clusterIP: 10.96.0.1
                          ports: [{port: 80}]
                          loadBalancerSourceRanges: ['2001:db8::/32']
                        status: {loadBalancer: {ingress: [{ip: 5.6.7.8}]}}
                        """, slice("IPv4", "{port: 80}", ready("10.244.0.2", "n2"))))
                .contains("\"ns/web loadbalancer IP\" tcp -d 5.6.7.8 --dport 80 -j KUBE-EXT")
                .doesNotContain("KUBE-FW");
    }

    @Test
    void aRangeThatAdmitsEverybodyIsNoRange() throws Exception {
        for (String ranges : List.of("0.0.0.0/0", "192.0.2.0/24, 0.0.0.0/0", "' 10.1.2.3/0', 192.0.2.0/24")) {
            assertThat(rules(
                            CONFIG,
                            IpFamily.IPV4,
                            balancer(ranges),
                            slice("IPv4", "{port: 80}", ready("10.244.0.2", "n2"))))
                    .as(ranges)
                    .contains("\"ns/web loadbalancer IP\" tcp -d 5.6.7.8 --dport 80 -j KUBE-EXT\n")
                    .doesNotContain("FW", "FIREWALL");
        }
        assertThat(rules(
                        CONFIG,
                        IpFamily.IPV4,
                        balancer("'::/0', 192.0.2.0/24, 192.0.2.7/24"),
                        slice("IPv4", "{port: 80}", ready("10.244.0.2", "n2"))))
                .contains("""
                        nat KUBE-FW "ns/web loadbalancer IP" -s 192.0.2.0/24 -j KUBE-EXT
                        nat KUBE-FW "ns/web loadbalancer IP" -s 192.0.2.0/24 -j KUBE-EXT
                        nat KUBE-FW "other""");
    }

    /** In this mode kube-proxy rejects all clients without endpoints, whatever the ranges. */
    @Test
    void sourceRangesWithoutEndpointsMakeNoFirewall() throws Exception {
        String unready = "addresses: ['10.244.0.2'], nodeName: n1, conditions: {ready: false}";
        for (String slice : List.of("", slice("IPv4", "{port: 80}", unready))) {
            assertThat(rules(CONFIG, IpFamily.IPV4, balancer("192.0.2.0/24"), slice))
                    .isEqualTo("""
                    filter KUBE-EXTERNAL-SERVICES "ns/web has no endpoints" tcp -d 5.6.7.8 --dport 80 -j REJECT
                    filter KUBE-SERVICES "ns/web has no endpoints" tcp -d 10.96.0.1 --dport 80 -j REJECT
                    """);
        }
    }

    private static String balancer(String ranges) {
        return WEB + """
                spec: {type: LoadBalancer, clusterIP: 10.96.0.1, ports: [{port: 80}], loadBalancerSourceRanges: [%s]}
                status: {loadBalancer: {ingress: [{ip: 5.6.7.8}]}}
                """.formatted(ranges);
    }

    @Test
    void affinityOfOddTimesOverAPolicyOfItsOwnForEachWayIn() throws Exception {
        for (int seconds : List.of(1, 61, 86400)) {
            assertThat(rules(
                            CONFIG,
                            IpFamily.IPV4,
                            WEB,
                            """
                            spec:
                              type: NodePort
                              clusterIP: 10.96.0.1
                              externalTrafficPolicy: Local
                              sessionAffinity: ClientIP
                              sessionAffinityConfig: {clientIP: {timeoutSeconds: %d}}
                              ports: [{port: 80, nodePort: 30080}]
                            """.formatted(seconds),
                            slice("IPv4", "{port: 80}", ready("10.244.0.2", "n1"), ready("10.244.1.2", "n2"))))
                    .isEqualTo("""
                            nat KUBE-EXT "pod traffic for ns/web external destinations" -s 10.244.0.0/16 -j KUBE-SVC
                            nat KUBE-EXT "masquerade LOCAL traffic for ns/web external destinations" -m addrtype --src-type LOCAL -j KUBE-MARK-MASQ
                            nat KUBE-EXT "route LOCAL traffic for ns/web external destinations" -m addrtype --src-type LOCAL -j KUBE-SVC
                            nat KUBE-EXT -j KUBE-SVL
                            nat KUBE-NODEPORTS "ns/web" tcp --dport 30080 -j KUBE-EXT
                            nat KUBE-SERVICES "ns/web cluster IP" tcp -d 10.96.0.1 --dport 80 -j KUBE-SVC
                            nat KUBE-SVC "ns/web cluster IP" tcp -d 10.96.0.1 --dport 80 ! -s 10.244.0.0/16 -j KUBE-MARK-MASQ
                            nat KUBE-SVC "ns/web -> 10.244.0.2:80" -m recent --name KUBE-SEP --rcheck --seconds %1$d --reap -j KUBE-SEP
                            nat KUBE-SVC "ns/web -> 10.244.1.2:80" -m recent --name KUBE-SEP --rcheck --seconds %1$d --reap -j KUBE-SEP
                            nat KUBE-SVC "ns/web -> 10.244.0.2:80" -m statistic --mode random --probability 0.5000000000 -j KUBE-SEP
                            nat KUBE-SVC "ns/web -> 10.244.1.2:80" -j KUBE-SEP
                            nat KUBE-SVL "ns/web -> 10.244.0.2:80" -m recent --name KUBE-SEP --rcheck --seconds %1$d --reap -j KUBE-SEP
                            nat KUBE-SVL "ns/web -> 10.244.0.2:80" -j KUBE-SEP
                            """.formatted(seconds));
        }
    }

    /** Only load balancers have a health check port that counts. */
    @Test
    void aLocalNodePortWithoutLocalEndpointsDropsStrangersAndHasNoHealthCheck() throws Exception {
        assertThat(rules(CONFIG, IpFamily.IPV4, WEB, """
                        spec:
                          type: NodePort
                          clusterIP: 10.96.0.1
                          externalTrafficPolicy: Local
                          healthCheckNodePort: 31000
                          ports: [{port: 80, nodePort: 30080}]
                        """, slice("IPv4", "{port: 80}", ready("10.244.1.2", "n2"))))
                .isEqualTo("""
                        filter KUBE-EXTERNAL-SERVICES "ns/web has no local endpoints" -m addrtype --dst-type LOCAL tcp --dport 30080 -j DROP
                        nat KUBE-EXT "pod traffic for ns/web external destinations" -s 10.244.0.0/16 -j KUBE-SVC
                        nat KUBE-EXT "masquerade LOCAL traffic for ns/web external destinations" -m addrtype --src-type LOCAL -j KUBE-MARK-MASQ
                        nat KUBE-EXT "route LOCAL traffic for ns/web external destinations" -m addrtype --src-type LOCAL -j KUBE-SVC
                        nat KUBE-NODEPORTS "ns/web" tcp --dport 30080 -j KUBE-EXT
                        nat KUBE-SERVICES "ns/web cluster IP" tcp -d 10.96.0.1 --dport 80 -j KUBE-SVC
                        nat KUBE-SVC "ns/web cluster IP" tcp -d 10.96.0.1 --dport 80 ! -s 10.244.0.0/16 -j KUBE-MARK-MASQ
                        nat KUBE-SVC "ns/web -> 10.244.1.2:80" -j KUBE-SEP
                        """);
    }

    @Test
    void onePortOfTwoProtocolsWithoutAnEndpointForOne() throws Exception {
        assertThat(rules(
                        CONFIG,
                        IpFamily.IPV4,
                        WEB,
                        """
                        spec:
                          clusterIP: 10.96.0.53
                          ports: [{name: dns, port: 53, protocol: UDP}, {name: dns-tcp, port: 53}]
                        """,
                        slice("IPv4", "{name: dns, port: 5353, protocol: UDP}", ready("10.244.0.2", "n1"))))
                .isEqualTo("""
                        filter KUBE-SERVICES "ns/web:dns-tcp has no endpoints" tcp -d 10.96.0.53 --dport 53 -j REJECT
                        nat KUBE-SERVICES "ns/web:dns cluster IP" udp -d 10.96.0.53 --dport 53 -j KUBE-SVC
                        nat KUBE-SVC "ns/web:dns cluster IP" udp -d 10.96.0.53 --dport 53 ! -s 10.244.0.0/16 -j KUBE-MARK-MASQ
                        nat KUBE-SVC "ns/web:dns -> 10.244.0.2:5353" -j KUBE-SEP
                        """);
    }

    @Test
    void masqueradeAllNeedsNoClusterCidr() throws Exception {
        IptablesConfig config = IptablesConfig.DEFAULTS.with(draft -> {
            draft.nodeName = "n1";
            draft.masqueradeAll = true;
        });
        assertThat(rules(config, IpFamily.IPV4, WEB, """
                        spec: {type: NodePort, clusterIP: 10.96.0.1, externalTrafficPolicy: Local, ports: [{port: 80, nodePort: 30080}]}
                        """, slice("IPv4", "{port: 80}", ready("10.244.0.2", "n1"))))
                .isEqualTo("""
                        nat KUBE-EXT "masquerade LOCAL traffic for ns/web external destinations" -m addrtype --src-type LOCAL -j KUBE-MARK-MASQ
                        nat KUBE-EXT "route LOCAL traffic for ns/web external destinations" -m addrtype --src-type LOCAL -j KUBE-SVC
                        nat KUBE-EXT -j KUBE-SVL
                        nat KUBE-NODEPORTS "ns/web" tcp --dport 30080 -j KUBE-EXT
                        nat KUBE-SERVICES "ns/web cluster IP" tcp -d 10.96.0.1 --dport 80 -j KUBE-SVC
                        nat KUBE-SVC "ns/web cluster IP" tcp -d 10.96.0.1 --dport 80 -j KUBE-MARK-MASQ
                        nat KUBE-SVC "ns/web -> 10.244.0.2:80" -j KUBE-SEP
                        nat KUBE-SVL "ns/web -> 10.244.0.2:80" -j KUBE-SEP
                        """);
    }

    @Test
    void eachWayToTellPodsApart() throws Exception {
        String node = """
                ---
                apiVersion: v1
                kind: Node
                metadata: {name: n1}
                spec: {podCIDRs: [10.244.7.0/24, 'fd00:244:7::/64']}
                """;
        String[] objects = {
            WEB,
            "spec: {clusterIPs: [10.96.0.1, 'fd00:96::1'], ports: [{port: 80}]}\n",
            slice("IPv4", "{port: 80}", ready("10.244.0.2", "n1")),
            slice("IPv6", "{port: 80}", ready("fd00:244::2", "n1")),
            node
        };
        for (String[] expected : new String[][] {
            {"none", "", ""},
            {"cidr", "! -s 10.244.0.0/16 ", ""},
            {"node", "! -s 10.244.7.0/24 ", "! -s fd00:244:7::/64 "},
            {"bridge", "! -i cni0 ", "! -i cni0 "},
            {"prefix", "! -i veth+ ", "! -i veth+ "}
        }) {
            DetectLocal local = switch (expected[0]) {
                case "cidr" -> new DetectLocal.ClusterCidr(List.of(Cidr.parse("10.244.0.0/16")));
                case "node" -> new DetectLocal.NodeCidr();
                case "bridge" -> DetectLocal.bridgeInterface("cni0");
                case "prefix" -> DetectLocal.interfaceNamePrefix("veth");
                default -> DetectLocal.NONE;
            };
            IptablesConfig config = CONFIG.with(draft -> draft.detectLocal = local);
            assertMasqueraded(rules(config, IpFamily.IPV4, objects), "-d 10.96.0.1 --dport 80 ", expected[1]);
            assertMasqueraded(rules(config, IpFamily.IPV6, objects), "-d fd00:96::1 --dport 80 ", expected[2]);
        }
    }

    private static void assertMasqueraded(String rules, String to, String from) {
        String rule = "nat KUBE-SVC \"ns/web cluster IP\" tcp " + to + from + "-j KUBE-MARK-MASQ\n";
        if (from.isEmpty()) {
            assertThat(rules).doesNotContain("KUBE-MARK-MASQ");
        } else {
            assertThat(rules).contains(rule);
        }
    }

    @Test
    void noRuleForAServiceThatIsNoProxysBusiness() throws Exception {
        for (String spec : List.of(
                "spec: {type: ExternalName, externalName: example.org, clusterIP: 10.96.0.1, ports: [{port: 80}]}",
                "spec: {clusterIP: None, ports: [{port: 80}], externalIPs: [203.0.113.7]}",
                "spec: {clusterIP: '', ports: [{port: 80}]}")) {
            assertThat(rules(
                            CONFIG,
                            IpFamily.IPV4,
                            WEB,
                            spec + "\n",
                            slice("IPv4", "{port: 80}", ready("10.244.0.2", "n1"))))
                    .as(spec)
                    .isEmpty();
        }
    }
}
