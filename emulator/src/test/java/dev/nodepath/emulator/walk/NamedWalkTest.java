package dev.nodepath.emulator.walk;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.nodepath.agent.options.CommandException;
import dev.nodepath.agent.options.ProxyMode;
import dev.nodepath.endpoints.source.ManifestReader;
import dev.nodepath.endpoints.source.Manifests;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The way of a packet between names, of objects as text. */
class NamedWalkTest {
    /** Nodes n1 and n2 share a network, n3 is behind a router. */
    static final String OBJECTS = """
            {apiVersion: v1, kind: Node, metadata: {name: n1}, spec: {podCIDRs: [10.244.1.0/24]},
             status: {addresses: [{type: InternalIP, address: 172.30.0.11}]}}
            ---
            {apiVersion: v1, kind: Node, metadata: {name: n2}, spec: {podCIDRs: [10.244.2.0/24]},
             status: {addresses: [{type: InternalIP, address: 172.30.0.12}]}}
            ---
            {apiVersion: v1, kind: Node, metadata: {name: n3}, spec: {podCIDRs: [10.244.3.0/24]},
             status: {addresses: [{type: InternalIP, address: 172.30.1.13}]}}
            ---
            {apiVersion: v1, kind: Pod, metadata: {name: client-1, namespace: default}, spec: {nodeName: n1},
             status: {podIPs: [{ip: 10.244.1.4}]}}
            ---
            {apiVersion: v1, kind: Pod, metadata: {name: web-1, namespace: default},
             spec: {nodeName: n1, containers: [{name: c, ports: [{name: http, containerPort: 8080}]}]},
             status: {podIPs: [{ip: 10.244.1.2}]}}
            ---
            {apiVersion: v1, kind: Pod, metadata: {name: web-2, namespace: default}, spec: {nodeName: n2},
             status: {podIPs: [{ip: 10.244.2.2}]}}
            ---
            {apiVersion: v1, kind: Pod, metadata: {name: far, namespace: shop}, spec: {nodeName: n3},
             status: {podIPs: [{ip: 10.244.3.2}]}}
            ---
            {apiVersion: v1, kind: Pod, metadata: {name: agent, namespace: default},
             spec: {nodeName: n2, hostNetwork: true}, status: {podIPs: [{ip: 172.30.0.12}]}}
            ---
            {apiVersion: v1, kind: Pod, metadata: {name: waits, namespace: default}, spec: {}}
            ---
            {apiVersion: v1, kind: Service, metadata: {name: web, namespace: default},
             spec: {type: NodePort, clusterIP: 10.96.0.20, clusterIPs: [10.96.0.20],
                    ports: [{name: http, port: 80, nodePort: 30080}]}}
            ---
            {apiVersion: discovery.k8s.io/v1, kind: EndpointSlice,
             metadata: {name: web-1, namespace: default, labels: {kubernetes.io/service-name: web}},
             addressType: IPv4, ports: [{name: http, port: 8080}],
             endpoints: [{addresses: [10.244.1.2], nodeName: n1}, {addresses: [10.244.2.2], nodeName: n2}]}
            ---
            {apiVersion: v1, kind: Service, metadata: {name: far, namespace: shop},
             spec: {clusterIP: 10.96.0.30, clusterIPs: [10.96.0.30], ports: [{port: 80}]}}
            ---
            {apiVersion: discovery.k8s.io/v1, kind: EndpointSlice,
             metadata: {name: far-1, namespace: shop, labels: {kubernetes.io/service-name: far}},
             addressType: IPv4, ports: [{name: "", port: 8080}],
             endpoints: [{addresses: [10.244.3.2], nodeName: n3}]}
            ---
            {apiVersion: v1, kind: Service, metadata: {name: void, namespace: default},
             spec: {clusterIP: 10.96.0.13, clusterIPs: [10.96.0.13], ports: [{port: 80}]}}
            ---
            {apiVersion: v1, kind: Service, metadata: {name: bare, namespace: default},
             spec: {clusterIP: None, clusterIPs: [None], ports: [{port: 80}]}}
            ---
            {apiVersion: networking.k8s.io/v1, kind: ServiceCIDR, metadata: {name: kubernetes},
             spec: {cidrs: [10.96.0.0/16]}}
            """;

    private static String walk(String mode, String from, String to, boolean json) throws Exception {
        return walk(new RunningProxies(ProxyMode.valueOf(mode), false), from, to, json);
    }

    private static String walk(RunningProxies proxies, String from, String to, boolean json) throws Exception {
        Manifests objects = ManifestReader.check(ManifestReader.objects(Path.of("objects"), OBJECTS));
        return NamedWalk.of(proxies, objects, from, to, json);
    }

    @Test
    void theRelayShowsTheClientsAddressWhereAnswersComeBack() throws Exception {
        assertThat(walk(new RunningProxies(ProxyMode.USERSPACE, true), "client-1", "web:http", false))
                .contains("""
                  web-1     It sees the source 10.244.1.4, which is client-1.
                  and back:
                  web-1     It answers to 10.244.1.4.
                  n1        With br_netfilter the answer meets connection tracking on the bridge. The table nodepath-clients has given the relay's connection the address of client-1. Its conntrack entry makes the node the answer's destination.
                  n1        The relay copies the answer into the connection of its client.
                """, """
                  web-2     It sees the source 10.244.1.4, which is client-1.
                  and back:
                  web-2     It answers to 10.244.1.4.
                  n2        A route leads to 10.244.1.0/24 through 172.30.0.11, which is n1.
                  n1        The table nodepath-clients has given the relay's connection the address of client-1. Its conntrack entry makes the node the answer's destination.
                  n1        The relay copies the answer into the connection of its client.
                """);
    }

    @Test
    void namesEveryRuleEveryHopAndTheWayBack() throws Exception {
        assertThat(walk("NFTABLES", "client-1", "web:http", false)).isEqualTo("""
                tcp 10.244.1.4 -> 10.96.0.20:80, from client-1 to Service default/web, mode nftables

                The way there:
                  client-1  The packet leaves by eth0, one end of a veth pair. The other end is a port of cni0 on n1.
                  n1        The bridge has the pod's gateway 10.244.1.1, so the packet is for the node to route. First it meets the rules of PREROUTING.
                  n1        The chain firewall-check is next.
                              ip kube-proxy filter-prerouting-pre-dnat 1: ct state new jump firewall-check
                  n1        The chain services is next.
                              ip kube-proxy nat-prerouting 1: jump services
                  n1        The map service-ips has the destination: the chain service-SUSTUHLJ-default/web/tcp/http is next.
                              ip kube-proxy services 2: ip daddr . meta l4proto . th dport vmap @service-ips
                  n1        A random number below 2 chooses the endpoint that becomes the destination.
                              ip kube-proxy service-SUSTUHLJ-default/web/tcp/http 1: meta l4proto tcp dnat ip to numgen random mod 2 map { 0 : 10.244.1.2 . 8080, 1 : 10.244.2.2 . 8080 }
                  n1        The chain service-endpoints-check is next.
                              ip kube-proxy filter-forward 1: ct state new jump service-endpoints-check
                  n1        The chain cluster-ips-check is next.
                              ip kube-proxy filter-forward 2: ct state new jump cluster-ips-check
                  n1        The chain masquerading is next.
                              ip kube-proxy nat-postrouting 1: jump masquerading

                50.0% goes to 10.244.1.2:8080 (web-1)
                  n1        The bridge cni0 passes the packet to the veth of web-1.
                  web-1     It sees the source 10.244.1.4, which is client-1.
                  and back:
                  web-1     It answers to 10.244.1.4.
                  n1        The bridge switches the answer between two of its ports. With br_netfilter it meets connection tracking all the same.
                  n1        The conntrack entry of 10.244.1.4 -> 10.96.0.20:80 expects answers from 10.244.1.2:8080 to 10.244.1.4. It makes 10.96.0.20:80 the source.
                  client-1  The answer comes from 10.96.0.20:80, which it has asked.

                50.0% goes to 10.244.2.2:8080 (web-2)
                  n1        A route leads to 10.244.2.0/24 through 172.30.0.12, which is n2.
                  n2        The rules here leave a packet to a pod's address as it is.
                  n2        The bridge cni0 passes the packet to the veth of web-2.
                  web-2     It sees the source 10.244.1.4, which is client-1.
                  and back:
                  web-2     It answers to 10.244.1.4.
                  n2        A route leads to 10.244.1.0/24 through 172.30.0.11, which is n1.
                  n1        The conntrack entry of 10.244.1.4 -> 10.96.0.20:80 expects answers from 10.244.2.2:8080 to 10.244.1.4. It makes 10.96.0.20:80 the source.
                  client-1  The answer comes from 10.96.0.20:80, which it has asked.
                """);
    }

    @Test
    void sendsThroughTheOverlayAndMasqueradesWhatTheNodeItselfSends() throws Exception {
        assertThat(walk("IPTABLES", "n1", "far.shop:80", false)).isEqualTo("""
                tcp 172.30.0.11 -> 10.96.0.30:80, from n1 to Service shop/far, mode iptables

                The way there:
                  n1        A process of the node sends the packet. It meets rules in OUTPUT.
                  n1        The chain KUBE-SERVICES is next.
                              nat OUTPUT 1: -m comment --comment "kubernetes service portals" -j KUBE-SERVICES
                  n1        The packet is for shop/far cluster IP: the chain KUBE-SVC-5BWPW54MQDOZJNN2 is next.
                              nat KUBE-SERVICES 2: -m comment --comment "shop/far cluster IP" -p tcp -m tcp -d 10.96.0.30 --dport 80 -j KUBE-SVC-5BWPW54MQDOZJNN2
                  n1        The source has to be replaced: the chain KUBE-MARK-MASQ is next.
                              nat KUBE-SVC-5BWPW54MQDOZJNN2 1: -m comment --comment "shop/far cluster IP" -p tcp -m tcp -d 10.96.0.30 --dport 80 ! -s 10.244.0.0/22 -j KUBE-MARK-MASQ
                  n1        The packet gets a mark: its source will be replaced.
                              nat KUBE-MARK-MASQ 1: -j MARK --or-mark 0x00004000
                  n1        What is left takes the endpoint 10.244.3.2:8080.
                              nat KUBE-SVC-5BWPW54MQDOZJNN2 2: -m comment --comment "shop/far -> 10.244.3.2:8080" -j KUBE-SEP-AOJMDY7WJGYPS72W
                  n1        The destination becomes 10.244.3.2:8080.
                              nat KUBE-SEP-AOJMDY7WJGYPS72W 2: -m comment --comment "shop/far" -p tcp -m tcp -j DNAT --to-destination 10.244.3.2:8080
                  n1        The chain KUBE-PROXY-FIREWALL is next.
                              filter OUTPUT 1: -m conntrack --ctstate NEW -m comment --comment "kubernetes load balancer firewall" -j KUBE-PROXY-FIREWALL
                  n1        The chain KUBE-SERVICES is next.
                              filter OUTPUT 2: -m conntrack --ctstate NEW -m comment --comment "kubernetes service portals" -j KUBE-SERVICES
                  n1        The chain KUBE-FIREWALL is next.
                              filter OUTPUT 3: -j KUBE-FIREWALL
                  n1        The chain KUBE-POSTROUTING is next.
                              nat POSTROUTING 1: -m comment --comment "kubernetes postrouting rules" -j KUBE-POSTROUTING
                  n1        The mark has served and is taken off.
                              nat KUBE-POSTROUTING 2: -j MARK --xor-mark 0x00004000
                  n1        The source becomes an address of this node.
                              nat KUBE-POSTROUTING 3: -m comment --comment "kubernetes service traffic requiring SNAT" -j MASQUERADE --random-fully

                100.0% goes to 10.244.3.2:8080 (shop/far)
                  n1        A route leads into the VXLAN link nodepath-vxlan, which sends the packet to 172.30.1.13 (n3) inside a packet to UDP port 4789.
                  n3        The rules here leave a packet to a pod's address as it is.
                  n3        The bridge cni0 passes the packet to the veth of shop/far.
                  shop/far  It sees the source 10.244.1.0, which is n1.
                  and back:
                  shop/far  It answers to 10.244.1.0.
                  n3        A route leads into the VXLAN link nodepath-vxlan, which sends the packet to 172.30.0.11 (n1) inside a packet to UDP port 4789.
                  n1        The conntrack entry of 172.30.0.11 -> 10.96.0.30:80 expects answers from 10.244.3.2:8080 to 10.244.1.0. It makes 10.96.0.30:80 the source, and 172.30.0.11 its destination.
                  n1        The answer comes from 10.96.0.30:80, which it has asked.
                """);
    }

    @Test
    void showsTheRelaysTwoConnections() throws Exception {
        assertThat(walk("USERSPACE", "client", "n1:30080", false)).isEqualTo("""
                tcp 172.30.0.254 -> 172.30.0.11:30080, from client to node n1, mode userspace

                The way there:
                  client  It sends the packet to n1.
                  n1      The map nodeports of the table nodepath-portals leads connections to default/web:http to the port of the relay in the proxy's process.
                  n1      The relay takes the connection, chooses an endpoint, the next one in turn, and opens a connection of its own to it.

                50.0% goes to 10.244.1.2:8080 (web-1)
                  n1      The bridge cni0 passes the packet to the veth of web-1.
                  web-1   It sees the source 10.244.1.1, which is n1.
                  and back:
                  web-1   It answers to 10.244.1.1.
                  n1      The relay copies the answer into the connection of its client.
                  n1      The conntrack entry of 172.30.0.254 -> 172.30.0.11:30080 makes 172.30.0.11:30080 its source.
                  client  The answer comes from 172.30.0.11:30080, which it has asked.

                50.0% goes to 10.244.2.2:8080 (web-2)
                  n1      A route leads to 10.244.2.0/24 through 172.30.0.12, which is n2.
                  n2      The rules here leave a packet to a pod's address as it is.
                  n2      The bridge cni0 passes the packet to the veth of web-2.
                  web-2   It sees the source 172.30.0.11, which is n1.
                  and back:
                  web-2   It answers to 172.30.0.11.
                  n2      A route leads to 172.30.0.11, which is n1, on the same network.
                  n1      The relay copies the answer into the connection of its client.
                  n1      The conntrack entry of 172.30.0.254 -> 172.30.0.11:30080 makes 172.30.0.11:30080 its source.
                  client  The answer comes from 172.30.0.11:30080, which it has asked.
                """);
    }

    /** Each outcome as NAME sees SOURCE, or its verdict. */
    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            client-1      | web:80             | web-1 sees 10.244.1.4, web-2 sees 10.244.1.4
            client-1      | web.default:http   | web-1 sees 10.244.1.4, web-2 sees 10.244.1.4
            default/web-1 | web:80             | web-1 sees 10.244.1.1, web-2 sees 10.244.1.2
            n1            | web:80             | web-1 sees 10.244.1.1, web-2 sees 172.30.0.11
            n1            | shop/far:8080      | shop/far sees 10.244.1.0
            agent         | web:80             | web-1 sees 172.30.0.12, web-2 sees 10.244.2.1
            n1            | far.shop:80        | shop/far sees 10.244.1.0
            n1            | far.shop.svc:80    | shop/far sees 10.244.1.0
            n1            | far.shop.svc.cluster.local:80 | shop/far sees 10.244.1.0
            client        | n1:30080           | web-1 sees 10.244.1.1, web-2 sees 172.30.0.11
            client        | web-1:http         | web-1 sees 172.30.0.254
            client-1      | web-2:8080         | web-2 sees 10.244.1.4
            client-1      | shop/far:8080      | shop/far sees 10.244.1.4
            client-1      | n2:30080           | web-1 sees 172.30.0.12, web-2 sees 10.244.2.1
            client-1      | 172.30.0.254:6443  | client sees 172.30.0.11
            client-1      | void:80            | REJECT
            client        | web:80             | nobody
            client        | shop/far:8080      | nobody
            """)
    void saysWhereItGoesAndWhatSourceIsSeen(String from, String to, String expected) throws Exception {
        for (String mode : List.of("IPTABLES", "NFTABLES")) {
            assertThat(ends(walk(mode, from, to, true))).as(mode).isEqualTo(expected);
        }
    }

    /** One node announces it: the first that is ready and not behind the router, and may answer for the Service. */
    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            IPTABLES  | Cluster | n1 n2 n3 | n1, web-1 sees 10.244.1.1, web-2 sees 172.30.0.11
            NFTABLES  | Cluster | n2 n3    | n2, web-1 sees 172.30.0.12, web-2 sees 10.244.2.1
            USERSPACE | Cluster | n1       | n1, web-1 sees 10.244.1.1, web-2 sees 172.30.0.11
            IPTABLES  | Cluster | n3       | nobody
            NFTABLES  | Local   | n2       | n2, web-2 sees 172.30.0.254
            """)
    void followsTheAddressOfALoadBalancerFromOutside(String mode, String policy, String ready, String expected)
            throws Exception {
        String conditions = " status: {conditions: [{type: Ready, status: 'True'}], ";
        String objects = OBJECTS.replace("spec: {type: NodePort, clusterIP: 10.96.0.20,", """
                status: {loadBalancer: {ingress: [{ip: 198.18.0.7}]}}, spec: {type: LoadBalancer,
                externalTrafficPolicy: %s, clusterIP: 10.96.0.20,""".formatted(policy)
                .replace("\n", "\n             "));
        for (String node : ready.split(" ", -1)) {
            objects = objects.replaceFirst("(name: " + node + "\\},[^\\n]*\\n) status: \\{", "$1" + conditions);
        }
        RunningProxies proxies = new RunningProxies(ProxyMode.valueOf(mode), false);
        Manifests read = ManifestReader.check(ManifestReader.objects(Path.of("objects"), objects));
        String json = NamedWalk.of(proxies, read, "client", "198.18.0.7:80", true);
        String text = NamedWalk.of(proxies, read, "client", "198.18.0.7:80", false);
        assertThat(ends(json)).as(text).isEqualTo(expected.replaceFirst("^n\\d, ", ""));
        assertThat(text)
                .contains(
                        expected.equals("nobody")
                                ? "no node announces this address"
                                : "A route leads the load balancer's address to " + expected.substring(0, 2) + ".");
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            client-1 | web:80     | web-1 sees 10.244.1.1, web-2 sees 172.30.0.11
            client   | n1:30080   | web-1 sees 10.244.1.1, web-2 sees 172.30.0.11
            client-1 | web-2:8080 | web-2 sees 10.244.1.4
            client-1 | void:80    | REJECT
            """)
    void followsTheRelayInUserspaceMode(String from, String to, String expected) throws Exception {
        assertThat(ends(walk("USERSPACE", from, to, true))).isEqualTo(expected);
    }

    /** Pods of n1 meet n1's rules; packets to a port of n2 meet those of n2. */
    @ParameterizedTest
    @CsvSource({
        "client-1, web:80, iptables, KUBE-SERVICES",
        "client, n1:30080, iptables, KUBE-NODEPORTS",
        "client, n2:30080, nftables, @service-nodeports",
        "client-1, n2:30080, nftables, @service-nodeports"
    })
    void theRulesAreThoseOfTheNodeThatDecides(String from, String to, String mode, String rule) throws Exception {
        RunningProxies proxies =
                RunningProxies.of(Map.of("n1", "iptables", "n2", "nftables", "n3", "userspace"), Set.of(), false);

        assertThat(walk(proxies, from, to, false)).contains("mode " + mode).contains(rule);
    }

    @Test
    void aRelayThatHasEndedIsMissedOnItsNodeAlone() throws Exception {
        RunningProxies proxies = new RunningProxies(ProxyMode.USERSPACE, Map.of(), Set.of("n1"), Set.of(), false);

        assertThat(ends(walk(proxies, "client-1", "web:80", true))).isEqualTo("REJECT");
        assertThat(ends(walk(proxies, "client", "n2:30080", true))).contains("web-1 sees");
    }

    /** A node without power is where a packet ends, whether it decides, has the endpoint or is only passed. */
    @ParameterizedTest
    @CsvSource({"client, n2:30080", "client-1, n2:30080", "client, n2:22", "n1, 10.244.2.2:80"})
    void nobodyAnswersBehindANodeWithoutPower(String from, String to) throws Exception {
        RunningProxies proxies = new RunningProxies(ProxyMode.NFTABLES, false).without(Set.of("n2"));

        assertThat(walk(proxies, from, to, false))
                .containsPattern("n2 +The node has no power\\. Nobody takes the packet, and nobody answers\\.")
                .doesNotContain("It sees the source");
    }

    /** Until the EndpointSlices leave them out, the rules of the other nodes lead to its endpoints too. */
    @Test
    void someConnectionsGoToAnEndpointWithoutPower() throws Exception {
        RunningProxies proxies = new RunningProxies(ProxyMode.IPTABLES, false).without(Set.of("n2"));

        assertThat(walk(proxies, "client-1", "web:80", false))
                .contains("The node has no power.")
                .contains("web-1     It sees the source");
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            nobody   | web:80        | FROM: "nobody" (expected: one of [agent, client, client-1, n1, n2, n3, shop/far, waits, web-1, web-2])
            waits    | web:80        | pod waits has no address yet (expected: a pod that runs; see 'nodepath status')
            client-1 | web           | TO: "web" (expected: a port, too, such as web:80)
            client-1 | web-1         | TO: "web-1" (expected: a port, too, such as web-1:8080)
            client-1 | web:80:80     | TO: "web:80:80" (expected: SERVICE[.NAMESPACE]:PORT, [NAMESPACE/]POD:PORT, NODE:NODEPORT or IP:PORT, for UDP or SCTP with /udp or /sctp)
            client-1 | wbe:80        | TO: "wbe:80" (expected: SERVICE[.NAMESPACE]:PORT, [NAMESPACE/]POD:PORT, NODE:NODEPORT or IP:PORT, for UDP or SCTP with /udp or /sctp; no Service, Pod or node has this name); did you mean web?
            web_1    | web:80        | FROM: "web_1" (expected: one of [agent, client, client-1, n1, n2, n3, shop/far, waits, web-1, web-2]); did you mean web-1?
            far      | web:80        | FROM: "far" (expected: one of [agent, client, client-1, n1, n2, n3, shop/far, waits, web-1, web-2]); did you mean shop/far?
            client-1 | nothing:80    | TO: "nothing:80" (expected: SERVICE[.NAMESPACE]:PORT, [NAMESPACE/]POD:PORT, NODE:NODEPORT or IP:PORT, for UDP or SCTP with /udp or /sctp; no Service, Pod or node has this name)
            client-1 | far.shop.example.org:80 | TO: "far.shop.example.org:80" (expected: SERVICE[.NAMESPACE]:PORT, [NAMESPACE/]POD:PORT, NODE:NODEPORT or IP:PORT, for UDP or SCTP with /udp or /sctp; no Service, Pod or node has this name)
            client-1 | web:metrics   | TO: "web:metrics" (expected: a port, 1 to 65535, or one of [http])
            client-1 | web:70000     | TO: "web:70000" (expected: a port, 1 to 65535, or one of [http])
            client-1 | bare:80       | TO: "bare:80" (expected: a Service with a cluster IP; for one without, name a Pod)
            client-1 | [fd00::1]:80  | FROM, TO: client-1 has no IPv6 address (expected: one, as fd00::1 is one)
            """)
    void namesWhatItDoesNotKnow(String from, String to, String expected) {
        assertThatThrownBy(() -> walk("IPTABLES", from, to, false))
                .isInstanceOf(CommandException.class)
                .hasMessage(expected);
    }

    /** The page draws a hop where this part is. */
    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            USERSPACE | client   | n1:30080 | host, proxy-rule, relay, bridge, host, relay, connection-tracking, host
            NFTABLES  | client-1 | web:80   | host, bridge, proxy-rule, bridge, host, bridge, connection-tracking, host
            IPTABLES  | client-1 | n2:22    | host, bridge, proxy-rule, agent-rule, host, proxy-rule, host, connection-tracking, host
            IPTABLES  | n1       | web-2:80 | process, proxy-rule, host, proxy-rule, bridge, host
            """)
    void eachHopNamesThePartThatActs(String mode, String from, String to, String expected) throws Exception {
        JsonNode walk = new ObjectMapper().readTree(walk(mode, from, to, true));
        List<String> actors = new ArrayList<>();
        JsonNode end = walk.path("outcomes").get(0);
        for (JsonNode hops : List.of(walk.path("hops"), end.path("hops"), end.path("answer"))) {
            for (JsonNode hop : hops) {
                String actor = hop.path("actor").asText();
                if (actors.isEmpty() || !actors.get(actors.size() - 1).equals(actor)) {
                    actors.add(actor);
                }
            }
        }

        assertThat(String.join(", ", actors)).isEqualTo(expected);
    }

    private static String ends(String json) throws Exception {
        List<String> ends = new ArrayList<>();
        for (JsonNode end : new ObjectMapper().readTree(json).path("outcomes")) {
            String seen = end.path("seenSource").asText();
            String verdict = end.path("verdict").asText();
            ends.add(
                    seen.isEmpty()
                            ? verdict.equals("UNTOUCHED") ? "nobody" : verdict
                            : end.path("name").asText() + " sees " + seen);
        }
        return String.join(", ", ends);
    }
}
