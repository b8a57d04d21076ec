package dev.nodepath.policy.object;

import dev.nodepath.endpoints.NamespacedName;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;

/** The answer of policies about a packet, in words for people. */
public final class PolicySentence {
    private final PolicyQuestion question;
    private final String pod;
    private final String other;
    private final String port;

    private PolicySentence(PolicyQuestion question, String other, String port) {
        this.question = question;
        this.pod = question.pod().name().toString();
        this.other = other;
        this.port = " (" + port + ")";
    }

    /**
     * The sentence, without its full stop.
     *
     * @param other the name of the connection's other end
     * @param port the destination port with its protocol
     */
    public static String of(PolicyQuestion question, String other, String port) {
        return new PolicySentence(question, other, port).text();
    }

    private String text() {
        List<String> parts = new ArrayList<>();
        question.passed().forEach(rule -> parts.add(name(rule) + " passes " + connection() + " on"));
        PolicyAnswer answer = question.answer();
        if (answer instanceof PolicyAnswer.Accepted accepted) {
            parts.add(name(accepted.rule()) + " accepts " + connection());
        } else if (answer instanceof PolicyAnswer.Denied denied) {
            parts.add(name(denied.rule()) + " denies " + connection());
        } else if (answer instanceof PolicyAnswer.Allowed allowed) {
            parts.add(isolated());
            parts.add("rule " + place(allowed.rule()) + " of " + allowed.policy() + " allows " + other + port);
        } else if (answer instanceof PolicyAnswer.Refused refused) {
            parts.add(isolated());
            parts.add("no rule of " + (refused.policies().size() == 1 ? "it" : "them") + " allows " + other + port);
        } else {
            parts.add(free());
        }
        return String.join("; ", parts);
    }

    private String free() {
        AskedPolicies asked = question.asked();
        if (question.isFree(PolicyAnswer.Reason.OWN_NODE)) {
            return (asked.isolating().isEmpty() ? "policies are asked about " + pod : isolated())
                    + ", but a node always reaches its own pods";
        } else if (!asked.isolating().isEmpty()) {
            return isolated() + ", but a pod always reaches itself";
        } else if (!question.passed().isEmpty()) {
            return "no other policy refuses it";
        }
        List<NamespacedName> cluster = new ArrayList<>(asked.admin());
        cluster.addAll(asked.baseline());
        return "no NetworkPolicy isolates " + pod + ", and no rule of the ClusterNetworkPolicies "
                + cluster.stream().map(NamespacedName::name).collect(Collectors.joining(" and ")) + " matches "
                + connection();
    }

    private String isolated() {
        return pod + " is isolated by "
                + question.asked().isolating().stream()
                        .map(NamespacedName::toString)
                        .collect(Collectors.joining(" and "));
    }

    private String connection() {
        boolean ingress = question.direction() == Direction.INGRESS;
        return (ingress ? other + " to " + pod : pod + " to " + other) + port;
    }

    private String name(PolicyAnswer.ClusterRuleName rule) {
        return "rule " + place(rule.number()) + (rule.name().isEmpty() ? "" : " (" + rule.name() + ")")
                + " of ClusterNetworkPolicy " + rule.policy() + ", tier " + rule.tier() + ",";
    }

    private String place(int rule) {
        return question.direction().lowerCase() + "[" + rule + "]";
    }
}
