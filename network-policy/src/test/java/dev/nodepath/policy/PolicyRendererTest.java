package dev.nodepath.policy;

import static org.assertj.core.api.Assertions.assertThat;

import dev.nodepath.endpoints.NamespacedName;
import dev.nodepath.endpoints.Protocol;
import dev.nodepath.linux.address.AddressRange;
import dev.nodepath.linux.address.Cidr;
import dev.nodepath.linux.address.IpAddress;
import dev.nodepath.linux.address.IpFamily;
import dev.nodepath.linux.nftables.NftRule;
import dev.nodepath.linux.nftables.NftTableState;
import dev.nodepath.linux.nftables.NftText;
import dev.nodepath.linux.nftables.TableGroup;
import dev.nodepath.policy.object.PolicyChanges;
import dev.nodepath.policy.object.PolicyEvaluator;
import dev.nodepath.policy.object.PolicyPacket;
import dev.nodepath.policy.object.PolicySnapshot;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class PolicyRendererTest {
    private static final TestObjects CLUSTER = TestObjects.NONE
            .namespace("default", "{}")
            .namespace("shop", "{team: 'blue'}")
            .pod("default/web-1", "10.244.1.2", "{app: 'web'}")
            .pod("default/web-2", "10.244.1.3", "{app: 'web'}")
            .pod("default/client", "10.244.1.4", "{app: 'client'}")
            .pod(
                    "shop/buyer",
                    "{}",
                    "{nodeName: 'n2', containers: [{ports: [{name: 'http', containerPort: 8080}]}]}",
                    "{podIPs: [{ip: '10.244.2.2'}, {ip: 'fd00::2'}]}")
            .policy("default/web", """
                    {podSelector: {matchLabels: {app: 'web'}}, ingress: [
                      {from: [{podSelector: {matchLabels: {app: 'client'}}},
                              {namespaceSelector: {matchLabels: {team: 'blue'}}},
                              {ipBlock: {cidr: '192.0.2.0/24'}}, {ipBlock: {cidr: '198.51.100.0/24'}},
                              {ipBlock: {cidr: '10.0.0.0/8', except: ['10.1.0.0/16', '10.244.0.0/16']}}],
                       ports: [{port: 80}]},
                      {ports: [{port: 9000, endPort: 9100}, {protocol: 'UDP'}]}]}
                    """)
            .policy("default/out", """
                    {podSelector: {matchLabels: {app: 'client'}}, policyTypes: ['Egress'],
                     egress: [{to: [{namespaceSelector: {}}], ports: [{port: 'http'}]}]}
                    """);

    private static String text(TestObjects objects, IpFamily family) {
        return NftText.table(new PolicyRenderer(TestObjects.NODE, family)
                .all(objects.snapshot())
                .state());
    }

    @Test
    void rendersATable() {
        assertThat(text(CLUSTER, IpFamily.IPV4)).isEqualTo("""
                table ip nodepath-policy {
                	comment "NetworkPolicies"
                	map egress {
                		type ipv4_addr : verdict
                		comment "pods of this node whose policies are asked"
                		elements = { 10.244.1.4 comment "default/client" : goto egress-F5R6GRUNZNCYPIK2 }
                	}

                	map ingress {
                		type ipv4_addr : verdict
                		comment "pods of this node whose policies are asked"
                		elements = { 10.244.1.2 comment "default/web-1" : goto ingress-QKZ232OQBTIWIKSN, \
                10.244.1.3 comment "default/web-2" : goto ingress-QKZ232OQBTIWIKSN }
                	}

                	set networks-N3A6UKI4EW4KGIOK {
                		type ipv4_addr
                		flags constant,interval
                		elements = { 10.0.0.0/16, 10.2.0.0-10.243.255.255,
                			     10.245.0.0-10.255.255.255, 192.0.2.0/24,
                			     198.51.100.0/24 }
                	}

                	set pods-547KHWZL3PY27TJI {
                		type ipv4_addr
                		comment "namespaces with {team In [blue]}, pods with {}"
                		elements = { 10.244.2.2 }
                	}

                	set pods-6K7CZCYRMGLEEW6B {
                		type ipv4_addr
                		comment "namespaces with {}, pods with {}"
                		elements = { 10.244.1.2, 10.244.1.3,
                			     10.244.1.4, 10.244.2.2 }
                	}

                	set pods-GHYYN5L4JTTQ55Y2 {
                		type ipv4_addr
                		comment "namespaces named default, pods with {app In [client]}"
                		elements = { 10.244.1.4 }
                	}

                	set port-tcp-http {
                		type ipv4_addr . inet_service
                		elements = { 10.244.2.2 . 8080 }
                	}

                	set self {
                		type ipv4_addr . ipv4_addr
                		comment "each isolated pod with itself"
                		elements = { 10.244.1.2 . 10.244.1.2,
                			     10.244.1.3 . 10.244.1.3,
                			     10.244.1.4 . 10.244.1.4 }
                	}

                	chain forward-egress {
                		type filter hook forward priority -11; policy accept;
                		ct state established,related accept
                		ip saddr vmap @egress
                	}

                	chain forward-ingress {
                		type filter hook forward priority filter - 10; policy accept;
                		ct state established,related accept
                		ip daddr vmap @ingress
                	}

                	chain forward-on-link {
                		type filter hook forward priority -12; policy accept;
                		ct state established,related accept
                		iifname "cni0" ip daddr { 224.0.0.0/4, 255.255.255.255 } counter drop
                		iifname "cni0" fib daddr type broadcast counter drop
                	}

                	chain input-egress {
                		type filter hook input priority -11; policy accept;
                		ct state established,related accept
                		ip saddr vmap @egress
                	}

                	chain drop-egress {
                		counter drop
                	}

                	chain drop-ingress {
                		counter drop
                	}

                	chain egress-F5R6GRUNZNCYPIK2 {
                		ip saddr . ip daddr @self accept
                		jump policy-egress-F5R6GRUNZNCYPIK2-default/out
                		goto drop-egress
                	}

                	chain ingress-QKZ232OQBTIWIKSN {
                		ip saddr . ip daddr @self accept
                		jump policy-ingress-QKZ232OQBTIWIKSN-default/web
                		goto drop-ingress
                	}

                	chain policy-egress-F5R6GRUNZNCYPIK2-default/out {
                		ip daddr @pods-6K7CZCYRMGLEEW6B meta l4proto tcp ip daddr . th dport @port-tcp-http accept comment "rule 0"
                	}

                	chain policy-ingress-QKZ232OQBTIWIKSN-default/web {
                		ip saddr @pods-GHYYN5L4JTTQ55Y2 tcp dport 80 accept comment "rule 0"
                		ip saddr @pods-547KHWZL3PY27TJI tcp dport 80 accept comment "rule 0"
                		ip saddr @networks-N3A6UKI4EW4KGIOK tcp dport 80 accept comment "rule 0"
                		tcp dport 9000-9100 accept comment "rule 1"
                		meta l4proto udp accept comment "rule 1"
                	}
                }
                """);
    }

    private static final TestObjects GUARDED = CLUSTER.node("n2", "{os: 'linux'}", "192.0.2.2", "2001:db8::2")
            .clusterPolicy("guard", """
                    {tier: 'Admin', priority: 1, subject: {pods: {podSelector: {matchLabels: {app: 'web'}}}}, ingress: [
                      {name: 'no metrics', action: 'Deny', from: [{namespaces: {}}],
                       protocols: [{tcp: {destinationPort: {range: {start: 9100, end: 9200}}}}]},
                      {action: 'Pass', from: [{namespaces: {}}]}]}
                    """)
            .clusterPolicy("base", """
                    {tier: 'Baseline', priority: 1, subject: {namespaces: {}},
                     ingress: [{action: 'Accept', from: [{namespaces: {}}]}],
                     egress: [{action: 'Accept', to: [{nodes: {}}, {networks: ['192.0.2.0/24', 'fd00::/8']}],
                               protocols: [{destinationNamedPort: 'http'}]},
                              {action: 'Deny', to: [{nodes: {}}]}]}
                    """);

    /** The pods web are passed on to their NetworkPolicy, and client to the last tier, as none isolates it. */
    @Test
    void rendersTiers() {
        assertThat(text(GUARDED, IpFamily.IPV4)).contains("""
                	map ingress {
                		type ipv4_addr : verdict
                		comment "pods of this node whose policies are asked"
                		elements = { 10.244.1.2 comment "default/web-1" : goto admin-ingress-QTFZNAMJVZCKABAE, \
                10.244.1.3 comment "default/web-2" : goto admin-ingress-QTFZNAMJVZCKABAE,
                			     10.244.1.4 comment "default/client" : goto baseline-ingress-KKI3MFMMQIEJNBRE }
                	}
                """, """
                	map passed-ingress {
                		type ipv4_addr : verdict
                		comment "what follows the tier Admin"
                		elements = { 10.244.1.2 comment "default/web-1" : goto ingress-QKZ232OQBTIWIKSN, \
                10.244.1.3 comment "default/web-2" : goto ingress-QKZ232OQBTIWIKSN }
                	}
                """, """
                	set nodes-2ON322RSH54S3YHQ {
                		type ipv4_addr
                		comment "nodes with {}"
                		elements = { 192.0.2.2 }
                	}
                """, """
                	chain admin-ingress-QTFZNAMJVZCKABAE {
                		jump cluster-policy-ingress-VHKAGTNAPWHPGHNR-guard
                		goto ingress-QKZ232OQBTIWIKSN
                	}

                	chain baseline-egress-KKI3MFMMQIEJNBRE {
                		jump cluster-policy-egress-ZLTGEFZP2RILWDGX-base
                		accept
                	}

                	chain baseline-ingress-KKI3MFMMQIEJNBRE {
                		jump cluster-policy-ingress-ZLTGEFZP2RILWDGX-base
                		accept
                	}

                	chain cluster-policy-egress-ZLTGEFZP2RILWDGX-base {
                		ip daddr @nodes-2ON322RSH54S3YHQ meta l4proto tcp ip daddr . th dport @port-tcp-http accept comment "rule 0"
                		ip daddr @nodes-2ON322RSH54S3YHQ meta l4proto udp ip daddr . th dport @port-udp-http accept comment "rule 0"
                		ip daddr @nodes-2ON322RSH54S3YHQ meta l4proto sctp ip daddr . th dport @port-sctp-http accept comment "rule 0"
                		ip daddr 192.0.2.0/24 meta l4proto tcp ip daddr . th dport @port-tcp-http accept comment "rule 0"
                		ip daddr 192.0.2.0/24 meta l4proto udp ip daddr . th dport @port-udp-http accept comment "rule 0"
                		ip daddr 192.0.2.0/24 meta l4proto sctp ip daddr . th dport @port-sctp-http accept comment "rule 0"
                		ip daddr @nodes-2ON322RSH54S3YHQ goto drop-egress comment "rule 1"
                	}

                	chain cluster-policy-ingress-VHKAGTNAPWHPGHNR-guard {
                		ip saddr @pods-6K7CZCYRMGLEEW6B tcp dport 9100-9200 goto drop-ingress comment "rule 0: no metrics"
                		ip saddr @pods-6K7CZCYRMGLEEW6B ip daddr vmap @passed-ingress comment "rule 1"
                	}

                	chain cluster-policy-ingress-ZLTGEFZP2RILWDGX-base {
                		ip saddr @pods-6K7CZCYRMGLEEW6B accept comment "rule 0"
                	}
                """);
    }

    @Test
    void aClusterPolicyCostsThePodsOfThisNodeAndThoseOfNewGroups() {
        TestObjects local = GUARDED.pod("shop/far", "{}", "{nodeName: 'n2'}", "{podIPs: [{ip: '10.244.2.3'}]}");
        NamespacedName guard = new NamespacedName("", "guard");
        PolicyChanges policy = new PolicyChanges(Set.of(), Set.of(), Set.of(), Set.of(guard), Set.of());
        assertThat(changed(local, local.clusterPolicy("guard", "{}"), policy))
                .containsOnlyKeys(
                        RuleOwner.clusterPolicy(guard),
                        RuleOwner.pod(name("default/web-1")),
                        RuleOwner.pod(name("default/web-2")),
                        RuleOwner.pod(name("default/client")));
    }

    @Test
    void aNodeCostsItsOwnPartAlone() {
        NamespacedName n2 = new NamespacedName("", "n2");
        PolicyChanges node = new PolicyChanges(Set.of(), Set.of(), Set.of(), Set.of(), Set.of(n2));
        assertThat(changed(GUARDED, GUARDED.node("n2", "{}", "192.0.2.9"), node))
                .containsOnlyKeys(RuleOwner.node(n2));
    }

    /** Only a rule that denies is a reason to refuse addresses of the link. */
    @Test
    void acceptingIsolatesNothing() {
        TestObjects pod = TestObjects.NONE.namespace("default", "{}").pod("default/web", "fd00::2", "{app: 'web'}");
        String policy = "{tier: 'Admin', priority: 1, subject: {namespaces: {}}, egress: [{action: '%s',"
                + " to: [{namespaces: {}}]}]}";
        assertThat(text(pod.clusterPolicy("p", policy.formatted("Accept")), IpFamily.IPV6))
                .doesNotContain("on-link");
        assertThat(text(pod.clusterPolicy("p", policy.formatted("Deny")), IpFamily.IPV6))
                .contains("chain input-on-link");
    }

    /** 25 groups with 60 ports each are 1500 rules; the third of such rules is too much. */
    @ParameterizedTest
    @CsvSource({"Accept, 3000", "Deny, 3001", "Pass, 3001"})
    void aRuleForWhichThereIsNoRoomFailsClosed(String action, int expected) {
        String peers = IntStream.range(0, 25)
                .mapToObj("{namespaces: {matchLabels: {team: '%d'}}}"::formatted)
                .collect(Collectors.joining(", "));
        String ports = IntStream.rangeClosed(1, 60)
                .mapToObj("{tcp: {destinationPort: {number: %d}}}"::formatted)
                .collect(Collectors.joining(", "));
        String rule = "{action: '" + action + "', from: [" + peers + "], protocols: [" + ports + "]}";
        TestObjects objects = TestObjects.NONE.clusterPolicy(
                "large",
                "{tier: 'Admin', priority: 1, subject: {namespaces: {}}, ingress: ["
                        + String.join(", ", rule, rule, rule) + "]}");
        assertThat(text(objects, IpFamily.IPV4).lines().filter(line -> line.contains("comment \"rule")))
                .hasSize(expected);
    }

    @Test
    void neighbourDiscoveryAlwaysPasses() {
        assertThat(text(TestObjects.NONE, IpFamily.IPV6)).isEqualTo("""
                table ip6 nodepath-policy {
                	comment "NetworkPolicies"
                	map egress {
                		type ipv6_addr : verdict
                		comment "pods of this node whose policies are asked"
                	}

                	map ingress {
                		type ipv6_addr : verdict
                		comment "pods of this node whose policies are asked"
                	}

                	set self {
                		type ipv6_addr . ipv6_addr
                		comment "each isolated pod with itself"
                	}

                	chain forward-egress {
                		type filter hook forward priority -11; policy accept;
                		ct state established,related accept
                		meta l4proto ipv6-icmp ct state untracked accept comment "neighbour and listener discovery"
                		ip6 saddr vmap @egress
                	}

                	chain forward-ingress {
                		type filter hook forward priority filter - 10; policy accept;
                		ct state established,related accept
                		meta l4proto ipv6-icmp ct state untracked accept comment "neighbour and listener discovery"
                		ip6 daddr vmap @ingress
                	}

                	chain input-egress {
                		type filter hook input priority -11; policy accept;
                		ct state established,related accept
                		meta l4proto ipv6-icmp ct state untracked accept comment "neighbour and listener discovery"
                		ip6 saddr vmap @egress
                	}

                	chain drop-egress {
                		counter drop
                	}

                	chain drop-ingress {
                		counter drop
                	}
                }
                """);
    }

    /** Only pods that egress policies isolate are kept from their node. */
    @Test
    void addressesOfTheLinkAreRefusedWhileAPodIsIsolated() {
        TestObjects pod = TestObjects.NONE.namespace("default", "{}").pod("default/web", "fd00::2", "{app: 'web'}");
        String forward = """
                	chain forward-on-link {
                		type filter hook forward priority -12; policy accept;
                		ct state established,related accept
                		meta l4proto ipv6-icmp ct state untracked accept comment "neighbour and listener discovery"
                		iifname "cni0" ip6 saddr fe80::/10 counter drop
                		iifname "cni0" ip6 daddr { fe80::/10, ff00::/8 } counter drop
                	}
                """;
        String input = """
                	chain input-on-link {
                		type filter hook input priority -12; policy accept;
                		ct state established,related accept
                		meta l4proto ipv6-icmp ct state untracked accept comment "neighbour and listener discovery"
                		iifname "cni0" ip6 saddr fe80::/10 counter drop
                	}
                """;
        assertThat(text(pod, IpFamily.IPV6)).doesNotContain("on-link");
        assertThat(text(pod.policy("default/in", "{podSelector: {}}"), IpFamily.IPV6))
                .contains(forward)
                .doesNotContain("input-on-link");
        TestObjects egress = pod.policy("default/out", "{podSelector: {}, policyTypes: ['Egress']}");
        assertThat(text(egress, IpFamily.IPV6)).contains(forward, input);
        assertThat(text(egress, IpFamily.IPV4))
                .contains("chain forward-on-link")
                .doesNotContain("input-on-link");
    }

    @Test
    void theFirstIsolatedPodAndTheLastOneCostTheChainsOfTheLink() {
        TestObjects pod = TestObjects.NONE.namespace("default", "{}").pod("default/web", "fd00::2", "{app: 'web'}");
        TestObjects isolated = pod.policy("default/in", "{podSelector: {}}");
        PolicyChanges policy = new PolicyChanges(Set.of(), Set.of(), Set.of(name("default/in")));
        assertThat(changed(pod, isolated, policy).get(RuleOwner.LINK)).isPresent();
        assertThat(changed(isolated, pod, policy).get(RuleOwner.LINK)).isEmpty();
        PolicyChanges another = new PolicyChanges(Set.of(), Set.of(name("default/db")), Set.of());
        assertThat(changed(isolated, isolated.pod("default/db", "fd00::3", "{}"), another))
                .containsOnlyKeys(RuleOwner.pod(name("default/db")));
    }

    @Test
    void whatALedConnectionMayReachIsTheRelaysQuestion() {
        PolicyNode relaying = new PolicyNode("n1", "cni0", true, false, 0);
        String table = NftText.table(new PolicyRenderer(relaying, IpFamily.IPV4)
                .all(CLUSTER.snapshot())
                .state());
        assertThat(table).containsOnlyOnce("ct status dnat").contains("""
                	chain input-egress {
                		type filter hook input priority -11; policy accept;
                		ct state established,related accept
                		ct status dnat accept comment "to the relay"
                		ip saddr vmap @egress
                	}
                """);
    }

    /** A pod that only a ClusterNetworkPolicy refuses something is one of these too. Self is an address twice. */
    @Test
    void aStrictNodePicksUpNoConnectionOfAnIsolatedPod() {
        PolicyNode strict = new PolicyNode("n1", "cni0", false, true, 0);
        TestObjects denied = TestObjects.NONE
                .namespace("default", "{}")
                .pod("default/web", "10.244.1.2", "{}")
                .clusterPolicy(
                        "p",
                        "{tier: 'Admin', priority: 1, subject: {namespaces: {}}, egress: [{action: 'Deny',"
                                + " to: [{namespaces: {}}]}]}");
        assertThat(NftText.table(new PolicyRenderer(strict, IpFamily.IPV4)
                        .all(denied.snapshot())
                        .state()))
                .contains("elements = { 10.244.1.2 . 10.244.1.2 }", """
                		ct state established,related accept
                		tcp flags != syn / syn,ack ip saddr . ip saddr @self goto drop-egress comment "of a connection that was ended"
                		ip saddr vmap @egress
                """, """
                		ct state established,related accept
                		tcp flags != syn / syn,ack ip daddr . ip daddr @self goto drop-ingress comment "of a connection that was ended"
                		ip daddr vmap @ingress
                """)
                .containsOnlyOnce("goto drop-egress comment \"of");
        assertThat(text(denied, IpFamily.IPV4)).doesNotContain("tcp flags");
    }

    @Test
    void aGroupIsToldOfWhatIsRefused() {
        PolicyNode telling = new PolicyNode("n1", "cni0", false, false, 44);
        assertThat(NftText.table(new PolicyRenderer(telling, IpFamily.IPV4)
                        .all(CLUSTER.snapshot())
                        .state()))
                .contains("""
                	chain drop-ingress {
                		counter log group 44 drop
                	}
                """);
    }

    private static Map<RuleOwner, Optional<TableGroup>> changed(
            TestObjects before, TestObjects after, PolicyChanges changes) {
        PolicyRenderer renderer = new PolicyRenderer(TestObjects.NODE, IpFamily.IPV4);
        PolicySnapshot first = before.snapshot();
        renderer.all(first);
        return renderer.changed(after.snapshot(), changes);
    }

    private static NamespacedName name(String name) {
        return TestObjects.name(name);
    }

    @Test
    void aPodCostsItsOwnPartAlone() {
        TestObjects after = CLUSTER.pod("default/web-3", "10.244.1.5", "{app: 'web'}");
        PolicyChanges changes = new PolicyChanges(Set.of(), Set.of(name("default/web-3")), Set.of());
        assertThat(changed(CLUSTER, after, changes)).containsOnlyKeys(RuleOwner.pod(name("default/web-3")));
    }

    @Test
    void aPodThatEndsIsRemoved() {
        TestObjects after =
                CLUSTER.pod("default/web-1", "{app: 'web'}", "{}", "{phase: 'Failed', podIP: '10.244.1.2'}");
        PolicyChanges changes = new PolicyChanges(Set.of(), Set.of(name("default/web-1")), Set.of());
        assertThat(changed(CLUSTER, after, changes))
                .isEqualTo(Map.of(RuleOwner.pod(name("default/web-1")), Optional.empty()));
    }

    @Test
    void aNamespaceCostsItsPods() {
        TestObjects after = CLUSTER.namespace("shop", "{}");
        PolicyChanges changes = new PolicyChanges(Set.of("shop"), Set.of(), Set.of());
        assertThat(changed(CLUSTER, after, changes)).containsOnlyKeys(RuleOwner.pod(name("shop/buyer")));
    }

    @Test
    void aPolicyCostsTheLocalPodsOfItsNamespaceAndThoseOfNewGroups() {
        TestObjects after = CLUSTER.policy("shop/p", "{podSelector: {}, ingress: [{from: [{podSelector: {}}]}]}");
        PolicyChanges changes = new PolicyChanges(Set.of(), Set.of(), Set.of(name("shop/p")));
        assertThat(changed(CLUSTER, after, changes))
                .containsOnlyKeys(RuleOwner.policy(name("shop/p")), RuleOwner.pod(name("shop/buyer")));
    }

    @Test
    void withoutPoliciesPodsAddNothing() {
        TestObjects none = CLUSTER.policy("default/web", "{podSelector: 1}").policy("default/out", "{podSelector: 1}");
        assertThat(new PolicyRenderer(TestObjects.NODE, IpFamily.IPV4)
                        .all(none.snapshot())
                        .state()
                        .chains())
                .hasSize(5);
    }

    /** 64 peers with 64 ports are as many as a policy may have. All networks are one peer. */
    @ParameterizedTest
    @CsvSource({"64, 4096", "65, 0"})
    void aPolicyWithTooManyRulesAllowsNothing(int peers, int expected) {
        String blocks = IntStream.range(0, 200)
                .mapToObj("{ipBlock: {cidr: '10.%1$d.0.0/16', except: ['10.%1$d.1.0/24']}}"::formatted)
                .collect(Collectors.joining(", "));
        blocks += IntStream.range(1, peers)
                .mapToObj(", {podSelector: {matchLabels: {app: 'a%d'}}}"::formatted)
                .collect(Collectors.joining());
        String ports = IntStream.range(1, 65).mapToObj(i -> "{port: " + i + "}").collect(Collectors.joining(", "));
        TestObjects objects = TestObjects.NONE.policy(
                "shop/large", "{podSelector: {}, ingress: [{from: [" + blocks + "], ports: [" + ports + "]}]}");
        List<NftRule> rules = new PolicyRenderer(TestObjects.NODE, IpFamily.IPV4)
                .all(objects.snapshot()).state().chains().entrySet().stream()
                        .filter(chain -> chain.getKey().contains("shop/large"))
                        .flatMap(chain -> chain.getValue().rules().stream())
                        .toList();
        assertThat(rules).hasSize(expected);
        objects = objects.pod("shop/a", "10.244.1.1", "{}");
        PolicyPacket packet =
                new PolicyPacket(IpAddress.parse("10.0.9.9"), IpAddress.parse("10.244.1.1"), Protocol.TCP.number(), 1);
        assertThat(new PolicyEvaluator(objects.snapshot()).judge(packet).passes())
                .isEqualTo(expected > 0);
    }

    /** The same addresses in other words are the same set. An exception of all addresses leaves none. */
    @Test
    void networksAreASetOfAllPoliciesThatNameThem() {
        String rule = "{podSelector: {}, ingress: [{from: [%s], ports: [{port: 80}, {port: 443}]}]}";
        TestObjects objects = TestObjects.NONE
                .policy(
                        "shop/one",
                        rule.formatted("{ipBlock: {cidr: '10.0.0.0/8', except: ['10.128.0.0/9']}},"
                                + " {ipBlock: {cidr: '192.0.2.0/24'}}"))
                .policy(
                        "shop/two",
                        rule.formatted("{ipBlock: {cidr: '192.0.2.0/24'}}, {ipBlock: {cidr: '10.0.0.0/9'}}"))
                .policy(
                        "shop/none",
                        rule.formatted("{ipBlock: {cidr: '10.0.0.0/8', except: ['10.0.0.0/9', '10.128.0.0/9']}}"));

        NftTableState state = new PolicyRenderer(TestObjects.NODE, IpFamily.IPV4)
                .all(objects.snapshot())
                .state();

        assertThat(state.sets().values().stream()
                        .map(each -> each.set().ranges())
                        .filter(ranges -> !ranges.isEmpty()))
                .containsExactly(AddressRange.of(List.of(Cidr.parse("10.0.0.0/9"), Cidr.parse("192.0.2.0/24"))));
        for (String policy : List.of("one", "two", "none")) {
            assertThat(state.chains().entrySet().stream()
                            .filter(chain -> chain.getKey().endsWith("shop/" + policy))
                            .flatMap(chain -> chain.getValue().rules().stream()))
                    .hasSize(policy.equals("none") ? 0 : 2);
        }
    }

    @Test
    void namesOfPoliciesAreCut() {
        String longest = "n".repeat(63) + "/" + "p".repeat(253);
        TestObjects objects = TestObjects.NONE.policy(longest, "{podSelector: {}}");
        assertThat(new PolicyRenderer(TestObjects.NODE, IpFamily.IPV4)
                        .all(objects.snapshot())
                        .state()
                        .chains()
                        .keySet())
                .allSatisfy(name -> assertThat(name.length()).isLessThan(256));
    }
}
