package dev.nodepath.policy;

import static org.assertj.core.api.Assertions.assertThat;

import dev.nodepath.endpoints.NamespacedName;
import dev.nodepath.linux.FakeNftTables;
import dev.nodepath.linux.Repetitions;
import dev.nodepath.linux.address.IpFamily;
import dev.nodepath.linux.nftables.NftChange;
import dev.nodepath.linux.nftables.NftElement;
import dev.nodepath.linux.nftables.NftRule;
import dev.nodepath.linux.nftables.NftTableState;
import dev.nodepath.linux.nftables.NftValue;
import dev.nodepath.linux.nftables.NftVerdict;
import dev.nodepath.policy.object.PolicyChanges;
import dev.nodepath.policy.rules.PolicyFrame;
import dev.nodepath.policy.rules.PolicyRenderer;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** What stands of policies and pods that a kernel refuses. */
class PolicyTablesTest {
    private final FakeNftTables nft = new FakeNftTables();
    private final PolicyTables tables = new PolicyTables(nft, List.of(IpFamily.IPV4), TestObjects.NODE, true);

    private static final TestObjects PODS = TestObjects.NONE
            .namespace("shop", "{}")
            .pod("shop/web", "10.244.1.2", "{app: 'web'}")
            .pod("shop/client", "10.244.1.3", "{app: 'client'}");

    private static final TestObjects OBJECTS = PODS.policy(
            "shop/web",
            "{podSelector: {matchLabels: {app: 'web'}},"
                    + " ingress: [{from: [{podSelector: {matchLabels: {app: 'client'}}}], ports: [{port: 80}]}]}");

    private NftTableState table() {
        return nft.read(PolicyFrame.table(IpFamily.IPV4)).orElseThrow();
    }

    private Map<NftValue, NftElement> isolated() {
        return Objects.requireNonNull(table().sets().get("ingress")).elements();
    }

    private List<NftRule> rules(String begin) {
        return table().chains().entrySet().stream()
                .filter(chain -> chain.getKey().startsWith(begin))
                .flatMap(chain -> chain.getValue().rules().stream())
                .toList();
    }

    private void refuseRulesOf(String begin) {
        nft.refuse(change -> change instanceof NftChange.AddRule rule
                && rule.chain().name().startsWith(begin)
                && !rule.rule().statements().contains(NftVerdict.to("drop-ingress")));
    }

    @Test
    void aPolicyThatIsRefusedIsolatesItsPodsAndAllowsNothing() throws Exception {
        tables.sync(OBJECTS.snapshot(), PolicyChanges.NONE);
        NftTableState whole = table();
        nft.changeAsAnother(new NftChange.DeleteTable(PolicyFrame.table(IpFamily.IPV4)));

        refuseRulesOf("policy-");
        tables.look();
        assertThat(tables.refused()).hasSize(1).containsKey("IPv4 policy shop/web");
        assertThat(tables.refusedPods()).isEmpty();
        assertThat(rules("policy-")).isEmpty();
        assertThat(isolated()).hasSize(1);
        assertThat(rules("ingress-")).hasSize(3).last().isEqualTo(NftRule.of(NftVerdict.to("drop-ingress")));

        tables.look();
        assertThat(tables.refused()).hasSize(1);
        nft.refuse(change -> false);
        tables.look();
        assertThat(tables.refused()).isEmpty();
        assertThat(table()).isEqualTo(whole);
    }

    @Test
    void aClusterPolicyThatIsRefusedDeniesAllIfItDenied() throws Exception {
        refuseRulesOf("cluster-policy-");
        tables.sync(
                PODS.clusterPolicy(
                                "guard",
                                "{tier: 'Admin', priority: 1, subject: {namespaces: {}}, ingress:"
                                        + " [{action: 'Accept', from: [{namespaces: {matchLabels: {tools: 'yes'}}}]},"
                                        + " {action: 'Deny', from: [{namespaces: {}}]}]}")
                        .snapshot(),
                PolicyChanges.NONE);
        assertThat(tables.refused()).hasSize(1);
        assertThat(rules("cluster-policy-ingress-")).containsExactly(NftRule.of(NftVerdict.to("drop-ingress")));
        assertThat(isolated()).hasSize(2);
    }

    /** Several networks with several ports have a chain of ports, which is no refusal. */
    @Test
    void aPolicyThatIsRefusedCutsOffNothingThatOthersAllow() throws Exception {
        String networks = "{networks: ['10.0.0.0/8', '172.16.0.0/12']}";
        TestObjects objects = PODS.policy(
                        "shop/web",
                        "{podSelector: {}, ingress: [{from: [{ipBlock: {cidr: '10.0.0.0/8'}}, {ipBlock: {cidr:"
                                + " '172.16.0.0/12'}}], ports: [{port: 80}, {port: 443}]}]}")
                .clusterPolicy(
                        "names",
                        "{tier: 'Admin', priority: 1, subject: {namespaces: {}}, egress: [{action: 'Accept', to: ["
                                + networks
                                + "], protocols: [{udp: {destinationPort: {number: 53}}}, {tcp: {destinationPort:"
                                + " {number: 53}}}]}]}");
        tables.sync(objects.snapshot(), PolicyChanges.NONE);
        assertThat(rules("policy-ingress-")).isNotEmpty();
        assertThat(rules("cluster-policy-egress-")).isNotEmpty();
        assertThat(rules("ports-")).hasSize(4);
        nft.changeAsAnother(new NftChange.DeleteTable(PolicyFrame.table(IpFamily.IPV4)));

        nft.refuse(change -> change instanceof NftChange.AddRule rule
                && (rule.chain().name().startsWith("policy-")
                        || rule.chain().name().startsWith("cluster-policy-")));
        tables.look();
        assertThat(tables.refused()).hasSize(2);
        assertThat(rules("policy-ingress-")).isEmpty();
        assertThat(rules("cluster-policy-egress-")).isEmpty();
    }

    @Test
    void aPodThatIsRefusedIsTold() throws Exception {
        nft.refuse(change -> change instanceof NftChange.AddChain chain
                && chain.chain().name().startsWith("ingress-"));
        tables.sync(OBJECTS.snapshot(), PolicyChanges.NONE);
        assertThat(tables.refusedPods()).isEqualTo(Set.of(TestObjects.name("shop/web")));
    }

    /** Labels of pods, again and again: what is written for each is what a whole table has at the end. */
    @Test
    void labelsOfThousandsOfPodsMayChange() throws Exception {
        int pods = Repetitions.of(500, 10_000);
        Random random = new Random(44);
        TestObjects objects = TestObjects.NONE.namespace("shop", "{}");
        for (int i = 0; i < 5; i++) {
            objects = objects.policy(
                    "shop/p" + i,
                    "{podSelector: {matchLabels: {app: 'a" + i + "'}}, ingress: [{from: [{podSelector: {matchLabels:"
                            + " {app: 'a" + (i + 1) % 5 + "'}}}]}]}");
        }
        for (int i = 0; i < pods; i++) {
            objects = withLabel(objects, i, random.nextInt(6));
        }
        tables.sync(objects.snapshot(), PolicyChanges.NONE);
        long first = tables.written();
        for (int step = 0; step < pods / 10; step++) {
            Set<NamespacedName> changed = new HashSet<>();
            for (int i = 0; i < 10; i++) {
                int pod = random.nextInt(pods);
                objects = withLabel(objects, pod, random.nextInt(6));
                changed.add(TestObjects.name("shop/pod-" + pod));
            }
            tables.sync(objects.snapshot(), new PolicyChanges(Set.of(), changed, Set.of()));
        }
        assertThat(tables.refused()).isEmpty();
        assertThat(tables.written()).isGreaterThan(first);
        assertThat(table())
                .isEqualTo(new PolicyRenderer(TestObjects.NODE, IpFamily.IPV4)
                        .all(objects.snapshot())
                        .state());
    }

    /** Each hundredth pod is of this node. The last label is one that no policy knows. */
    private static TestObjects withLabel(TestObjects objects, int pod, int label) {
        return objects.pod(
                "shop/pod-" + pod,
                "{app: 'a" + label + "'}",
                "{nodeName: '" + (pod % 100 == 0 ? "n1" : "n2") + "'}",
                "{podIPs: [{ip: '10.244." + pod / 250 + "." + (pod % 250 + 1) + "'}]}");
    }
}
