package dev.nodepath.policy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.nodepath.endpoints.NamespacedName;
import dev.nodepath.linux.FakeNftTables;
import dev.nodepath.linux.Repetitions;
import dev.nodepath.linux.address.Cidr;
import dev.nodepath.linux.address.IpAddress;
import dev.nodepath.linux.address.IpFamily;
import dev.nodepath.linux.nftables.NftChange;
import dev.nodepath.linux.nftables.NftElement;
import dev.nodepath.linux.nftables.NftField;
import dev.nodepath.linux.nftables.NftRule;
import dev.nodepath.linux.nftables.NftStatement;
import dev.nodepath.linux.nftables.NftTableState;
import dev.nodepath.linux.nftables.NftValue;
import dev.nodepath.linux.nftables.NftVerdict;
import dev.nodepath.linux.syscall.Errno;
import dev.nodepath.policy.object.PolicyChanges;
import dev.nodepath.policy.object.PolicySnapshot;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.function.Predicate;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** The substitutes of policies and pods that a kernel refuses. */
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
        assertThat(table().sets().keySet().stream().filter(each -> each.startsWith("networks-")))
                .as("what both policies name")
                .hasSize(1);
        nft.changeAsAnother(new NftChange.DeleteTable(PolicyFrame.table(IpFamily.IPV4)));

        nft.refuse(change -> change instanceof NftChange.AddRule rule
                && (rule.chain().name().startsWith("policy-")
                        || rule.chain().name().startsWith("cluster-policy-")));
        tables.look();
        assertThat(tables.refused()).hasSize(2);
        assertThat(rules("policy-ingress-")).isEmpty();
        assertThat(rules("cluster-policy-egress-")).isEmpty();
    }

    private static boolean isSet(NftChange change, String begin) {
        return change instanceof NftChange.AddSet set && set.set().name().startsWith(begin);
    }

    private static boolean isElementOf(NftChange change, String begin) {
        return change instanceof NftChange.AddElements elements
                && elements.set().name().startsWith(begin);
    }

    private static TestObjects withSecond(TestObjects objects) {
        return objects.pod("shop/web-2", "10.244.1.4", "{app: 'web'}");
    }

    static List<Arguments> partsOfAPolicy() {
        Predicate<NftChange> set = change -> isSet(change, "pods-");
        Predicate<NftChange> element = change -> isElementOf(change, "pods-");
        Predicate<NftChange> chain = change -> change instanceof NftChange.AddChain addition
                && addition.chain().name().startsWith("policy-");
        TestObjects several = withSecond(OBJECTS);
        return List.of(
                Arguments.of("its set", OBJECTS, set),
                Arguments.of("its set, of several pods", several, set),
                Arguments.of("elements", OBJECTS, element),
                Arguments.of("elements, of several pods", several, element),
                Arguments.of("its chain", OBJECTS, chain),
                Arguments.of("its chain, of several pods", several, chain));
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("partsOfAPolicy")
    void aPodIsNotOpenWhenSomethingOfItsPolicyIsRefused(String part, TestObjects objects, Predicate<NftChange> refused)
            throws Exception {
        nft.refuse(refused);
        tables.sync(objects.snapshot(), PolicyChanges.NONE);
        for (int looks = 0; looks < 2; looks++) {
            assertThat(tables.refused()).containsKey("IPv4 policy shop/web");
            assertThat(tables.refusedPods()).doesNotContain(TestObjects.name("shop/client"));
            long webs = objects.snapshot().pods().size() - 1L;
            assertThat(isolated().values()).hasSize((int) webs).allSatisfy(this::dropsAll);
            tables.look();
        }
        assertThat(tables.stats().get(0).repairs()).isZero();

        nft.refuse(change -> false);
        tables.look();
        assertThat(tables.refused()).isEmpty();
        assertThat(table()).isEqualTo(whole(objects));
    }

    /** The chain of a pod's element accepts only the pod's own connections. */
    private void dropsAll(NftElement pod) {
        String chain = ((NftVerdict) pod.data().orElseThrow()).chain();
        if (chain.equals("drop-ingress")) {
            return;
        }
        assertThat(rules(chain)).hasSizeGreaterThan(1).last().isEqualTo(NftRule.of(NftVerdict.to("drop-ingress")));
        assertThat(rules("policy-")).isEmpty();
    }

    private static NftTableState whole(TestObjects objects) {
        return new PolicyRenderer(TestObjects.NODE, IpFamily.IPV4)
                .all(objects.snapshot())
                .state();
    }

    @Test
    void policiesThatShareARefusedSetAreAllClosed() throws Exception {
        TestObjects objects = OBJECTS.clusterPolicy(
                "guard",
                "{tier: 'Admin', priority: 1, subject: {namespaces: {}}, ingress: [{action: 'Deny', from:"
                        + " [{pods: {namespaceSelector: {},"
                        + " podSelector: {matchLabels: {app: 'client'}}}}]}]}");
        TestObjects both = objects.policy(
                "shop/api",
                "{podSelector: {matchLabels: {app: 'web'}},"
                        + " ingress: [{from: [{podSelector: {matchLabels: {app: 'client'}}}], ports: [{port: 81}]}]}");
        nft.refuse(change -> isSet(change, "pods-"));
        tables.sync(both.snapshot(), PolicyChanges.NONE);
        assertThat(tables.refused())
                .containsOnlyKeys("IPv4 policy shop/web", "IPv4 policy shop/api", "IPv4 cluster policy guard");
        assertThat(rules("policy-")).isEmpty();
        assertThat(rules("cluster-policy-")).containsExactly(NftRule.of(NftVerdict.to("drop-ingress")));
        nft.refuse(change -> false);
        tables.look();
        assertThat(table()).isEqualTo(whole(both));
    }

    /** The pods do not change with it, because the refused policy had the same peers. */
    @Test
    void aPolicyGetsThePodsOfASetThatWasRefusedToAnother() throws Exception {
        nft.refuse(change -> isSet(change, "pods-"));
        tables.sync(OBJECTS.snapshot(), PolicyChanges.NONE);
        nft.refuse(change -> change instanceof NftChange.AddRule rule
                && rule.rule().statements().contains(new NftStatement.DestinationPort(6, 80)));
        TestObjects objects = OBJECTS.policy(
                "shop/api",
                "{podSelector: {matchLabels: {app: 'web'}},"
                        + " ingress: [{from: [{podSelector: {matchLabels: {app: 'client'}}}], ports: [{port: 81}]}]}");
        tables.sync(objects.snapshot(), new PolicyChanges(Set.of(), Set.of(), Set.of(TestObjects.name("shop/api"))));
        tables.look();
        assertThat(tables.refused()).containsOnlyKeys("IPv4 policy shop/web");
        assertThat(table().sets().values())
                .filteredOn(set -> set.set().name().startsWith("pods-"))
                .singleElement()
                .satisfies(set -> assertThat(set.elements()).hasSize(1));
    }

    @Test
    void aPodThatIsRefusedIsToldAndCutOff() throws Exception {
        TestObjects objects = withSecond(OBJECTS)
                .policy(
                        "shop/client",
                        "{podSelector: {matchLabels: {app: 'client'}}, policyTypes: ['Ingress'],"
                                + " ingress: [{from: [{podSelector: {matchLabels: {app: 'web'}}}]}]}");
        NftElement web = Objects.requireNonNull(
                Objects.requireNonNull(whole(objects).sets().get("ingress"))
                        .elements()
                        .get(NftValue.of(IpAddress.parse("10.244.1.2"))));
        String ofWeb = ((NftVerdict) web.data().orElseThrow()).chain();
        nft.refuse(change -> change instanceof NftChange.AddChain chain
                && chain.chain().name().equals(ofWeb));
        tables.sync(objects.snapshot(), PolicyChanges.NONE);
        assertThat(tables.refusedPods())
                .containsExactlyInAnyOrder(TestObjects.name("shop/web"), TestObjects.name("shop/web-2"));
        assertThat(isolated().values())
                .hasSize(3)
                .filteredOn(pod -> pod.data().equals(Optional.of(NftVerdict.to("drop-ingress"))))
                .hasSize(2);
        // Other groups still have them.
        assertThat(table().sets().values())
                .filteredOn(set -> set.set().name().startsWith("pods-"))
                .extracting(set -> set.elements().size())
                .containsExactlyInAnyOrder(1, 2);
        nft.refuse(change -> false);
        tables.look();
        assertThat(table()).isEqualTo(whole(objects));
    }

    private static final PolicyChanges ALL =
            new PolicyChanges(Set.of(), Set.of(), Set.of(TestObjects.name("shop/all")));

    private static boolean isElementOf(NftChange change, String map, String address) {
        return change instanceof NftChange.AddElements elements
                && elements.set().name().equals(map)
                && elements.elements().stream()
                        .anyMatch(each -> each.key().equals(NftValue.of(IpAddress.parse(address))));
    }

    /** Without its element its policies would not be asked. */
    @Test
    void aPodWhoseElementIsRefusedIsCutOffAndTheRestIsInForce() throws Exception {
        tables.sync(OBJECTS.snapshot(), PolicyChanges.NONE);
        nft.refuse(change -> isElementOf(change, "ingress", "10.244.1.2"));
        TestObjects objects = OBJECTS.policy("shop/all", "{podSelector: {}}");
        tables.sync(objects.snapshot(), ALL);
        for (int looks = 0; looks < 2; looks++) {
            assertThat(tables.refused()).containsOnlyKeys("IPv4 pod shop/web");
            assertThat(tables.refusedPods()).containsExactly(TestObjects.name("shop/web"));
            assertThat(isolated()).containsOnlyKeys(NftValue.of(IpAddress.parse("10.244.1.3")));
            assertThat(rules("forward-closed-"))
                    .last()
                    .isEqualTo(NftRule.of(
                            new NftStatement.AddressIn(
                                    NftField.DESTINATION_ADDRESS, List.of(Cidr.parse("10.244.1.2/32")), false),
                            NftVerdict.to("drop-ingress")));
            assertThat(rules("input-closed-")).isEmpty();
            tables.look();
        }
        assertThat(tables.stats().get(0).repairs()).isZero();
        PolicyTables next = new PolicyTables(nft, List.of(IpFamily.IPV4), TestObjects.NODE, true);
        PolicySnapshot withoutStatus = objects.pod("shop/web", "{app: 'web'}", "{nodeName: 'n1'}", "{}")
                .snapshot();
        assertThat(next.isolatedWithoutStatus(withoutStatus))
                .isEqualTo(Map.of(
                        withoutStatus.pods().get(TestObjects.name("shop/web")),
                        List.of(IpAddress.parse("10.244.1.2"))));
        next.sync(objects.snapshot(), PolicyChanges.NONE);
        assertThat(next.refused()).containsOnlyKeys("IPv4 pod shop/web");
        nft.refuse(change -> false);
        next.look();
        assertThat(next.refused()).isEmpty();
        assertThat(table()).isEqualTo(whole(objects));
    }

    @Test
    void aPodIsCutOffInTheDirectionsInWhichPoliciesAreAsked() throws Exception {
        String all = "{podSelector: {}, policyTypes: ['Ingress', 'Egress']}";
        TestObjects objects = PODS.policy("shop/all", all);
        nft.refuse(change -> isElementOf(change, "egress"));
        tables.sync(objects.snapshot(), PolicyChanges.NONE);
        assertThat(tables.refused()).containsOnlyKeys("IPv4 pod shop/web", "IPv4 pod shop/client");
        NftRule first = NftRule.of(new NftStatement.KnownConnection(), NftVerdict.ACCEPT);
        assertThat(rules("forward-closed-"))
                .filteredOn(rule -> !rule.equals(first))
                .extracting(rule -> rule.statements().get(1))
                .containsOnly(NftVerdict.to("drop-egress"), NftVerdict.to("drop-ingress"))
                .hasSize(4);
        assertThat(rules("input-closed-"))
                .filteredOn(rule -> !rule.equals(first))
                .extracting(rule -> rule.statements().get(1))
                .containsOnly(NftVerdict.to("drop-egress"))
                .hasSize(2);
        // A pod that leaves takes its chains along.
        TestObjects left = TestObjects.NONE
                .namespace("shop", "{}")
                .pod("shop/client", "10.244.1.3", "{app: 'client'}")
                .policy("shop/all", all);
        tables.sync(left.snapshot(), new PolicyChanges(Set.of(), Set.of(TestObjects.name("shop/web")), Set.of()));
        assertThat(tables.refused()).containsOnlyKeys("IPv4 pod shop/client");
        nft.refuse(change -> false);
        tables.look();
        assertThat(table()).isEqualTo(whole(left));
    }

    @Test
    void aPodThatCannotBeCutOffStaysIsolatedAsItIs() throws Exception {
        tables.sync(OBJECTS.snapshot(), PolicyChanges.NONE);
        NftTableState before = table();
        nft.refuse(change -> isElementOf(change, "ingress")
                || (change instanceof NftChange.AddChain chain
                        && chain.chain().name().startsWith("forward-closed-")));
        TestObjects objects = OBJECTS.policy("shop/all", "{podSelector: {}}");
        for (int tries = 0; tries < 2; tries++) {
            assertThatThrownBy(() -> tables.sync(objects.snapshot(), ALL))
                    .hasMessageContaining("EINVAL")
                    .hasMessageContaining("shop/");
            assertThat(table()).isEqualTo(before);
        }
        nft.refuse(change -> false);
        tables.sync(objects.snapshot(), PolicyChanges.NONE);
        assertThat(table()).isEqualTo(whole(objects));
        assertThat(tables.refused()).isEmpty();
    }

    /** The kernel is short of memory for sockets for a moment. */
    @Test
    void whatMayPassIsTriedAgainAndClosesNoPolicy() throws Exception {
        tables.sync(OBJECTS.snapshot(), PolicyChanges.NONE);
        NftTableState before = table();
        nft.refuse(change -> isSet(change, "pods-"), Errno.ENOBUFS);
        TestObjects objects = OBJECTS.policy(
                "shop/api",
                "{podSelector: {matchLabels: {app: 'web'}},"
                        + " ingress: [{from: [{podSelector: {}}], ports: [{port: 81}]}]}");
        PolicyChanges policy = new PolicyChanges(Set.of(), Set.of(), Set.of(TestObjects.name("shop/api")));
        assertThatThrownBy(() -> tables.sync(objects.snapshot(), policy)).hasMessageContaining("ENOBUFS");
        assertThat(tables.refused()).isEmpty();
        assertThat(table()).isEqualTo(before);
        nft.refuse(change -> false);
        tables.sync(objects.snapshot(), policy);
        assertThat(table()).isEqualTo(whole(objects));
    }

    @Test
    void aKernelThatCannotTellBroadcastStillRefusesMulticast() throws Exception {
        NftStatement broadcast = new NftStatement.DestinationBroadcast();
        nft.refuse(change -> change instanceof NftChange.AddRule rule
                && rule.rule().statements().contains(broadcast));
        tables.sync(OBJECTS.snapshot(), PolicyChanges.NONE);
        assertThat(tables.refused()).hasSize(1);
        assertThat(rules("forward-on-link"))
                .containsExactlyElementsOf(
                        Objects.requireNonNull(whole(OBJECTS).chains().get("forward-on-link")).rules().stream()
                                .filter(rule -> !rule.statements().contains(broadcast))
                                .toList())
                .hasSize(2);
    }

    /** Repeated changes of pods' labels: the single writes lead to the whole table at the end. */
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
        assertThat(table()).isEqualTo(whole(objects));
    }

    /** Each hundredth pod is of this node. No policy knows the last label. */
    private static TestObjects withLabel(TestObjects objects, int pod, int label) {
        return objects.pod(
                "shop/pod-" + pod,
                "{app: 'a" + label + "'}",
                "{nodeName: '" + (pod % 100 == 0 ? "n1" : "n2") + "'}",
                "{podIPs: [{ip: '10.244." + pod / 250 + "." + (pod % 250 + 1) + "'}]}");
    }
}
