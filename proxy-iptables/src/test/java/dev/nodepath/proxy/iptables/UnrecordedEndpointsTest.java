package dev.nodepath.proxy.iptables;

import static org.assertj.core.api.Assertions.assertThat;

import dev.nodepath.linux.address.IpFamily;
import java.util.List;
import org.junit.jupiter.api.Test;

/** As {@link UnrecordedInputsTest}, of endpoints. */
class UnrecordedEndpointsTest extends UnrecordedInputs {
    @Test
    void bothPoliciesLocalAndOnlyADrainingPodHere() throws Exception {
        assertThat(rules(
                        CONFIG,
                        IpFamily.IPV4,
                        WEB,
                        """
                        spec:
                          type: LoadBalancer
                          clusterIP: 10.96.0.1
                          internalTrafficPolicy: Local
                          externalTrafficPolicy: Local
                          healthCheckNodePort: 31000
                          ports: [{port: 80}]
                        status: {loadBalancer: {ingress: [{ip: 5.6.7.8}]}}
                        """,
                        slice(
                                "IPv4",
                                "{port: 80}",
                                "addresses: [10.244.0.2], nodeName: n1, conditions: {ready: false, serving: true, terminating: true}",
                                "addresses: [10.244.0.3], nodeName: n1, conditions: {ready: false, serving: false, terminating: true}",
                                ready("10.244.1.2", "n2"))))
                .isEqualTo("""
                        filter KUBE-NODEPORTS "ns/web health check node port" tcp --dport 31000 -j ACCEPT
                        nat KUBE-EXT "pod traffic for ns/web external destinations" -s 10.244.0.0/16 -j KUBE-SVC
                        nat KUBE-EXT "masquerade LOCAL traffic for ns/web external destinations" -m addrtype --src-type LOCAL -j KUBE-MARK-MASQ
                        nat KUBE-EXT "route LOCAL traffic for ns/web external destinations" -m addrtype --src-type LOCAL -j KUBE-SVC
                        nat KUBE-EXT -j KUBE-SVL
                        nat KUBE-SERVICES "ns/web cluster IP" tcp -d 10.96.0.1 --dport 80 -j KUBE-SVL
                        nat KUBE-SERVICES "ns/web loadbalancer IP" tcp -d 5.6.7.8 --dport 80 -j KUBE-EXT
                        nat KUBE-SVC "ns/web -> 10.244.1.2:80" -j KUBE-SEP
                        nat KUBE-SVL "ns/web cluster IP" tcp -d 10.96.0.1 --dport 80 ! -s 10.244.0.0/16 -j KUBE-MARK-MASQ
                        nat KUBE-SVL "ns/web -> 10.244.0.2:80" -j KUBE-SEP
                        """);
    }

    /** kube-proxy takes an absent serving condition for true, whatever the ready condition is. */
    @Test
    void aTerminatingEndpointThatDoesNotSayWhetherItServesDoes() throws Exception {
        assertThat(rules(
                        CONFIG,
                        IpFamily.IPV4,
                        WEB,
                        "spec: {clusterIP: 10.96.0.1, ports: [{port: 80}]}\n",
                        slice(
                                "IPv4",
                                "{port: 80}",
                                "addresses: [10.244.0.2], conditions: {ready: false, terminating: true}",
                                "addresses: [10.244.0.3], conditions: {ready: false}")))
                .contains("nat KUBE-SVC \"ns/web -> 10.244.0.2:80\" -j KUBE-SEP\n")
                .doesNotContain("10.244.0.3");
    }

    @Test
    void zoneHintsMeanNothingToANodeWithoutAZoneAndNodeHintsStillDo() throws Exception {
        String[] objects = {
            WEB,
            "spec: {clusterIP: 10.96.0.1, trafficDistribution: PreferSameNode, ports: [{port: 80}]}\n",
            slice(
                    "IPv4",
                    "{port: 80}",
                    "addresses: [10.244.0.2], nodeName: n1, hints: {forZones: [{name: a}], forNodes: [{name: n1}]}",
                    "addresses: [10.244.1.2], nodeName: n2, hints: {forZones: [{name: b}], forNodes: [{name: n2}]}"),
            "---\napiVersion: v1\nkind: Node\nmetadata: {name: n1}\n"
        };
        assertThat(rules(CONFIG, IpFamily.IPV4, objects)).contains("10.244.0.2").doesNotContain("10.244.1.2");
        assertThat(rules(CONFIG.with(draft -> draft.nodeName = "n3"), IpFamily.IPV4, objects))
                .contains("10.244.0.2", "10.244.1.2");
    }

    /** The API server accepts a duplicate address, and kube-proxy writes both. */
    @Test
    void addressesThatStandTwiceAreWrittenTwiceAndEndpointsOnce() throws Exception {
        assertThat(rules(
                        CONFIG,
                        IpFamily.IPV4,
                        WEB,
                        """
                        spec:
                          clusterIP: 10.96.0.1
                          externalIPs: [203.0.113.7, 203.0.113.007, 203.0.113.7]
                          ports: [{port: 80}]
                        """,
                        slice("IPv4", "{port: 80}", ready("10.244.0.2", "n1")),
                        slice("IPv4", "{port: 80}", ready("10.244.0.2", "n1"), ready("10.244.0.2", "n1"))))
                .isEqualTo("""
                        nat KUBE-EXT "masquerade traffic for ns/web external destinations" -j KUBE-MARK-MASQ
                        nat KUBE-EXT -j KUBE-SVC
                        nat KUBE-SERVICES "ns/web cluster IP" tcp -d 10.96.0.1 --dport 80 -j KUBE-SVC
                        nat KUBE-SERVICES "ns/web external IP" tcp -d 203.0.113.7 --dport 80 -j KUBE-EXT
                        nat KUBE-SERVICES "ns/web external IP" tcp -d 203.0.113.7 --dport 80 -j KUBE-EXT
                        nat KUBE-SERVICES "ns/web external IP" tcp -d 203.0.113.7 --dport 80 -j KUBE-EXT
                        nat KUBE-SVC "ns/web cluster IP" tcp -d 10.96.0.1 --dport 80 ! -s 10.244.0.0/16 -j KUBE-MARK-MASQ
                        nat KUBE-SVC "ns/web -> 10.244.0.2:80" -j KUBE-SEP
                        """);
    }

    @Test
    void aSliceServesItsOwnFamilyAndTheFirstAddressOfAnEndpoint() throws Exception {
        String[] objects = {
            WEB,
            "spec: {clusterIPs: [10.96.0.1, 'fd00:96::1'], ports: [{port: 80}]}\n",
            slice("IPv4", "{port: 80}", "addresses: [10.244.0.2, 10.244.0.3]"),
            slice("FQDN", "{port: 80}", "addresses: [example.org]")
        };
        assertThat(rules(CONFIG, IpFamily.IPV4, objects))
                .contains("\"ns/web -> 10.244.0.2:80\" -j KUBE-SEP")
                .doesNotContain("10.244.0.3");
        assertThat(rules(CONFIG, IpFamily.IPV6, objects)).contains("\"ns/web has no endpoints\"");
    }

    @Test
    void aPortWithoutANumberInTheSliceIsNoEndpoint() throws Exception {
        assertThat(rules(
                        CONFIG,
                        IpFamily.IPV4,
                        WEB,
                        "spec: {clusterIP: 10.96.0.1, ports: [{port: 80}]}\n",
                        slice("IPv4", "{name: ''}", ready("10.244.0.2", "n1"))))
                .contains("\"ns/web has no endpoints\"");
    }

    @Test
    void commentsGoAtMoreThanAThousandEndpointsOfAFamily() throws Exception {
        for (int count : List.of(1000, 1001)) {
            String[] endpoints = new String[count];
            for (int i = 0; i < count; i++) {
                endpoints[i] = "addresses: [10.244." + i / 250 + "." + (i % 250 + 1) + "]";
            }
            String[] objects = {
                WEB,
                "spec: {clusterIPs: [10.96.0.1, 'fd00:96::1'], ports: [{port: 80}]}\n",
                slice("IPv4", "{port: 80}", endpoints),
                slice("IPv6", "{port: 80}", ready("fd00:244::2", "n1"))
            };
            assertThat(rules(CONFIG, IpFamily.IPV4, objects).contains("\"ns/web -> "))
                    .as("%d endpoints", count)
                    .isEqualTo(count <= 1000);
            assertThat(rules(CONFIG, IpFamily.IPV6, objects))
                    .as("families are counted apart")
                    .contains("\"ns/web -> ");
        }
    }
}
