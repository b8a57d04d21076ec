package dev.nodepath.policy;

import static org.assertj.core.api.Assertions.assertThat;

import dev.nodepath.linux.address.IpAddress;
import dev.nodepath.linux.address.IpFamily;
import dev.nodepath.linux.nftables.NftRule;
import dev.nodepath.linux.nftables.NftStatement;
import dev.nodepath.linux.nftables.NftTableState;
import dev.nodepath.linux.nftables.NftVerdict;
import dev.nodepath.policy.object.Direction;
import dev.nodepath.policy.object.PolicyEvaluator;
import dev.nodepath.policy.object.PolicyPacket;
import dev.nodepath.policy.object.PolicyPod;
import dev.nodepath.policy.object.PolicyQuestion;
import dev.nodepath.policy.object.PolicySnapshot;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class DecidingRuleTest {
    private static final int TCP = 6;
    private static final int STEPS = 200;

    @Test
    void namesTheRulesInTheOrderOfThePacket() {
        TestObjects objects = TestObjects.NONE
                .namespace("default", "{}")
                .pod("default/web", "10.244.1.2", "{app: 'web'}")
                .pod("default/client", "10.244.1.4", "{app: 'client'}")
                .clusterPolicy("guard", """
                        {tier: 'Admin', priority: 1, subject: {namespaces: {}}, ingress: [
                          {name: 'to teams', action: 'Pass', from: [{namespaces: {}}]}]}
                        """)
                .policy("default/deny", "{podSelector: {matchLabels: {app: 'web'}}}");

        assertThat(rules(objects.snapshot(), "10.244.1.4", "10.244.1.2"))
                .map(rule -> rule.chain().replaceFirst("-[0-9A-Z]{16}", "") + ": "
                        + rule.verdict().toString().replaceFirst("-[0-9A-Z]{16}", "") + " " + rule.comment())
                .containsExactly(
                        "cluster-policy-ingress-guard: goto ingress rule 0: to teams", "ingress: goto drop-ingress ");
    }

    /** The kernel's answers are compared with them on the page. */
    @ParameterizedTest(name = "seed {0}")
    @ValueSource(longs = {1, 2, 3})
    void theTableHasEachOfThem(long seed) {
        RandomObjects objects = new RandomObjects(seed);
        Set<String> answers = new TreeSet<>();
        for (int step = 1; step <= STEPS; step++) {
            objects.step();
            PolicySnapshot snapshot = objects.objects().snapshot();
            PolicyEvaluator evaluator = new PolicyEvaluator(snapshot);
            for (IpFamily family : IpFamily.values()) {
                NftTableState table = new PolicyRenderer(TestObjects.NODE, family)
                        .all(snapshot)
                        .state();
                for (PolicyPacket packet : packets(snapshot, family)) {
                    for (Direction direction : Direction.values()) {
                        Optional<PolicyQuestion> question = evaluator.question(direction, packet);
                        question.ifPresent(
                                each -> answers.add(each.answer().getClass().getSimpleName()
                                        + (each.passed().isEmpty() ? "" : " passed")));
                        assertThat(question.map(DecidingRule::of).orElse(List.of()))
                                .as("seed %d, step %d, %s of %s", seed, step, direction, packet)
                                .allMatch(rule -> has(table, rule));
                    }
                }
            }
        }
        assertThat(answers)
                .contains("Accepted", "Allowed", "Allowed passed", "Denied", "Free passed", "Refused passed");
    }

    private static List<DecidingRule> rules(PolicySnapshot snapshot, String from, String to) {
        PolicyPacket packet = new PolicyPacket(IpAddress.parse(from), IpAddress.parse(to), TCP, 80);
        return new PolicyEvaluator(snapshot)
                .question(Direction.INGRESS, packet)
                .map(DecidingRule::of)
                .orElse(List.of());
    }

    private static List<PolicyPacket> packets(PolicySnapshot snapshot, IpFamily family) {
        List<IpAddress> addresses = snapshot.pods().values().stream()
                .map(PolicyPod::addresses)
                .flatMap(List::stream)
                .filter(address -> address.family() == family)
                .toList();
        List<PolicyPacket> packets = new ArrayList<>();
        for (IpAddress from : addresses) {
            for (IpAddress to : addresses) {
                packets.add(new PolicyPacket(from, to, TCP, 80));
            }
        }
        return packets;
    }

    private static boolean has(NftTableState table, DecidingRule rule) {
        return DecidingRule.isOne(rule.chain(), rule.verdict())
                && table.chains().entrySet().stream()
                        .filter(chain -> rule.chain().equals(chain.getKey()))
                        .flatMap(chain -> chain.getValue().rules().stream())
                        .filter(each ->
                                rule.comment().isEmpty() || rule.comment().equals(each.comment()))
                        .anyMatch(each -> verdicts(table, each).contains(rule.verdict()));
    }

    /** A map may have several. */
    private static List<NftVerdict> verdicts(NftTableState table, NftRule rule) {
        NftStatement last = rule.statements().get(rule.statements().size() - 1);
        if (last instanceof NftStatement.VerdictOf map) {
            return Objects.requireNonNull(table.sets().get(map.map())).elements().values().stream()
                    .map(element -> (NftVerdict) element.data().orElseThrow())
                    .toList();
        }
        return last instanceof NftVerdict verdict ? List.of(verdict) : List.of();
    }
}
