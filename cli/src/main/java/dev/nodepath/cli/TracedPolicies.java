package dev.nodepath.cli;

import dev.nodepath.endpoints.trace.Trace;
import dev.nodepath.linux.address.IpAddress;
import dev.nodepath.policy.object.Direction;
import dev.nodepath.policy.object.PolicyEvaluator;
import dev.nodepath.policy.object.PolicyPacket;
import dev.nodepath.policy.object.PolicyPod;
import dev.nodepath.policy.object.PolicyQuestion;
import dev.nodepath.policy.object.PolicySentence;
import dev.nodepath.policy.object.PolicySnapshot;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;

/**
 * A trace with the answers of the policies of a node's pods. They are asked about the packet with its endpoint's
 * address as destination and its sender's as source.
 *
 * @param trace the trace, in which outcomes that policies refuse are dropped
 * @param sentences the policies' answers, for people
 */
record TracedPolicies(Trace trace, List<String> sentences) {
    TracedPolicies {
        sentences = List.copyOf(sentences);
    }

    /**
     * Asks the policies about each outcome.
     *
     * @param node the node of the pods whose policies are asked
     * @param host the node's own addresses
     */
    static TracedPolicies of(Trace trace, PolicySnapshot policies, String node, Set<IpAddress> host) {
        PolicyEvaluator evaluator = new PolicyEvaluator(policies);
        Map<IpAddress, String> names = new TreeMap<>();
        for (PolicyPod pod : policies.pods().values()) {
            pod.addresses().forEach(address -> names.put(address, pod.name().toString()));
        }
        Set<String> sentences = new LinkedHashSet<>();
        List<Trace.Outcome> outcomes = new ArrayList<>();
        IpAddress source = trace.packet().source();
        for (Trace.Outcome outcome : trace.outcomes()) {
            if (isOver(outcome)) {
                outcomes.add(outcome);
                continue;
            }
            PolicyPacket packet = new PolicyPacket(
                    source,
                    outcome.address(),
                    trace.packet().protocol().number(),
                    outcome.port(),
                    host.contains(source));
            boolean passes = true;
            for (Direction direction : List.of(Direction.EGRESS, Direction.INGRESS)) {
                Optional<PolicyQuestion> question = evaluator
                        .question(direction, packet)
                        .filter(each -> each.pod().node().equals(node));
                if (passes && question.isPresent()) {
                    IpAddress other = direction == Direction.INGRESS ? source : outcome.address();
                    sentences.add(
                            sentence(question.get(), names.getOrDefault(other, other.toString()), trace, outcome));
                    passes = question.get().answer().allows();
                }
            }
            outcomes.add(passes ? outcome : dropped(outcome));
        }
        return new TracedPolicies(new Trace(trace.packet(), trace.steps(), outcomes), List.copyOf(sentences));
    }

    private static Trace.Outcome dropped(Trace.Outcome outcome) {
        return new Trace.Outcome(
                Trace.Verdict.DROP,
                outcome.address(),
                outcome.port(),
                outcome.probability(),
                outcome.masqueraded(),
                outcome.steps());
    }

    private static boolean isOver(Trace.Outcome outcome) {
        return outcome.verdict() == Trace.Verdict.DROP || outcome.verdict() == Trace.Verdict.REJECT;
    }

    private static String sentence(PolicyQuestion question, String other, Trace trace, Trace.Outcome outcome) {
        String direction = question.direction().lowerCase();
        return direction.substring(0, 1).toUpperCase(Locale.ROOT) + direction.substring(1) + ": "
                + PolicySentence.of(question, other, trace.packet().protocol() + " port " + outcome.port()) + ".";
    }
}
