package dev.nodepath.policy.object;

import dev.nodepath.endpoints.NamespacedName;
import dev.nodepath.linux.address.IpAddress;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Answers for one snapshot whether packets may pass. Immutable. */
public final class PolicyEvaluator {
    private final PolicySnapshot snapshot;
    private final Map<IpAddress, PolicyPod> pods = new HashMap<>();
    private final Map<IpAddress, List<LabelledNode>> nodes = new HashMap<>();
    private final Map<String, List<NetworkPolicy>> policies;
    private final List<ClusterNetworkPolicy> clusterPolicies;

    /** The policies of a snapshot. */
    public PolicyEvaluator(PolicySnapshot snapshot) {
        this.snapshot = snapshot;
        snapshot.pods().values().stream()
                .sorted(Comparator.comparing(PolicyPod::name))
                .forEach(pod -> pod.addresses().forEach(address -> pods.putIfAbsent(address, pod)));
        for (LabelledNode node : snapshot.nodes().values()) {
            node.addresses()
                    .forEach(address -> nodes.computeIfAbsent(address, missing -> new ArrayList<>())
                            .add(node));
        }
        policies = snapshot.policiesByNamespace();
        clusterPolicies = snapshot.clusterPoliciesInOrder();
    }

    /** The answers of the policies. Later packets of a connection pass with the first one. */
    public PolicyVerdict judge(PolicyPacket packet) {
        PolicyAnswer ingress = packet.fromOwnNode()
                ? new PolicyAnswer.Free(PolicyAnswer.Reason.OWN_NODE)
                : ask(Direction.INGRESS, packet.destination(), packet.source(), packet);
        return new PolicyVerdict(ask(Direction.EGRESS, packet.source(), packet.destination(), packet), ingress);
    }

    /**
     * The question to the policies of one end about a packet, with their answer; empty if no policy is for the pod.
     */
    public Optional<PolicyQuestion> question(Direction direction, PolicyPacket packet) {
        boolean ingress = direction == Direction.INGRESS;
        PolicyPod subject = pods.get(ingress ? packet.destination() : packet.source());
        if (subject == null) {
            return Optional.empty();
        }
        AskedPolicies asked = AskedPolicies.of(
                subject,
                direction,
                policies.getOrDefault(subject.name().namespace(), List.of()),
                clusterPolicies,
                snapshot);
        if (asked.isEmpty()) {
            return Optional.empty();
        }
        boolean fromOwnNode = ingress && packet.fromOwnNode();
        List<PolicyAnswer.ClusterRuleName> passed = fromOwnNode
                ? List.of()
                : passed(direction, subject, asked, ingress ? packet.source() : packet.destination(), packet);
        PolicyVerdict verdict = judge(packet);
        return Optional.of(
                new PolicyQuestion(direction, subject, asked, passed, ingress ? verdict.ingress() : verdict.egress()));
    }

    /** The rules that pass a question on, in order. */
    private List<PolicyAnswer.ClusterRuleName> passed(
            Direction direction, PolicyPod subject, AskedPolicies asked, IpAddress otherEnd, PolicyPacket packet) {
        List<PolicyAnswer.ClusterRuleName> passed = new ArrayList<>();
        for (Tier tier : asked.isolating().isEmpty() ? List.of(Tier.values()) : List.of(Tier.ADMIN)) {
            Optional<ClusterMatch> match = firstMatch(tier, direction, subject, otherEnd, packet);
            if (match.isPresent() && !match.get().passes()) {
                return passed;
            }
            match.ifPresent(each -> passed.add(each.name()));
        }
        return passed;
    }

    private PolicyAnswer ask(Direction direction, IpAddress end, IpAddress otherEnd, PolicyPacket packet) {
        PolicyPod subject = pods.get(end);
        if (subject == null) {
            return new PolicyAnswer.Free(PolicyAnswer.Reason.NO_POD);
        }
        boolean itself = subject.equals(pods.get(otherEnd));
        return askTier(Tier.ADMIN, direction, subject, otherEnd, packet)
                .or(() -> askNamespace(direction, subject, itself, otherEnd, packet))
                .or(() -> askTier(Tier.BASELINE, direction, subject, otherEnd, packet))
                .orElse(new PolicyAnswer.Free(itself ? PolicyAnswer.Reason.ITSELF : PolicyAnswer.Reason.NOT_ISOLATED));
    }

    /** The answer of a tier; empty if no rule matches, or if the matching rule passes the question on. */
    private Optional<PolicyAnswer> askTier(
            Tier tier, Direction direction, PolicyPod subject, IpAddress otherEnd, PolicyPacket packet) {
        return firstMatch(tier, direction, subject, otherEnd, packet).flatMap(match -> match.answer(subject));
    }

    private Optional<ClusterMatch> firstMatch(
            Tier tier, Direction direction, PolicyPod subject, IpAddress otherEnd, PolicyPacket packet) {
        for (ClusterNetworkPolicy policy : clusterPolicies) {
            if (policy.tier() != tier || !snapshot.matches(policy.subjects(), subject)) {
                continue;
            }
            for (ClusterRule rule : policy.rules(direction)) {
                if (hasPeer(rule.matches(), otherEnd) && hasPort(rule.matches(), packet)) {
                    return Optional.of(new ClusterMatch(policy, rule));
                }
            }
        }
        return Optional.empty();
    }

    /** The matching rule of a tier. */
    private record ClusterMatch(ClusterNetworkPolicy policy, ClusterRule rule) {
        boolean passes() {
            return rule.action() == ClusterRule.Action.PASS;
        }

        PolicyAnswer.ClusterRuleName name() {
            return new PolicyAnswer.ClusterRuleName(
                    policy.tier(), policy.name().name(), rule.matches().number(), rule.name());
        }

        Optional<PolicyAnswer> answer(PolicyPod subject) {
            return switch (rule.action()) {
                case ACCEPT -> Optional.of(new PolicyAnswer.Accepted(name()));
                case DENY -> Optional.of(new PolicyAnswer.Denied(subject.name(), name()));
                case PASS -> Optional.empty();
            };
        }
    }

    /** The answer of the NetworkPolicies; empty if none isolates the pod. */
    private Optional<PolicyAnswer> askNamespace(
            Direction direction, PolicyPod subject, boolean itself, IpAddress otherEnd, PolicyPacket packet) {
        List<NamespacedName> isolating = new ArrayList<>();
        for (NetworkPolicy policy : policies.getOrDefault(subject.name().namespace(), List.of())) {
            if (!policy.isolates(subject, direction)) {
                continue;
            }
            if (itself) {
                return Optional.of(new PolicyAnswer.Free(PolicyAnswer.Reason.ITSELF));
            }
            for (PolicyRule rule : policy.rules(direction).orElse(List.of())) {
                if (hasPeer(rule, otherEnd) && hasPort(rule, packet)) {
                    return Optional.of(new PolicyAnswer.Allowed(policy.name(), rule.number()));
                }
            }
            isolating.add(policy.name());
        }
        return isolating.isEmpty()
                ? Optional.empty()
                : Optional.of(new PolicyAnswer.Refused(subject.name(), List.copyOf(isolating)));
    }

    private boolean hasPeer(PolicyRule rule, IpAddress otherEnd) {
        if (rule.peers().isEmpty()) {
            return true;
        }
        for (Peer peer : rule.peers()) {
            if (isPeer(peer, otherEnd)) {
                return true;
            }
        }
        return false;
    }

    private boolean isPeer(Peer peer, IpAddress otherEnd) {
        if (peer instanceof PodPeer chosen) {
            PolicyPod pod = pods.get(otherEnd);
            return pod != null && snapshot.matches(chosen, pod);
        }
        if (peer instanceof NodePeer chosen) {
            return nodes.getOrDefault(otherEnd, List.of()).stream()
                    .anyMatch(node -> chosen.nodes().matches(node.labels()));
        }
        return peer instanceof BlockPeer block && block.contains(otherEnd);
    }

    private boolean hasPort(PolicyRule rule, PolicyPacket packet) {
        return rule.ports().isEmpty() || rule.ports().stream().anyMatch(port -> isPort(port, packet));
    }

    /** A port's name refers to the destination pod, in both directions. */
    private boolean isPort(PolicyPort port, PolicyPacket packet) {
        if (port.protocol().number() != packet.protocol()) {
            return false;
        }
        if (!port.isNamed()) {
            return port.contains(packet.port());
        }
        PolicyPod destination = pods.get(packet.destination());
        return destination != null
                && destination.ports().contains(new PolicyPod.NamedPort(port.name(), port.protocol(), packet.port()));
    }
}
