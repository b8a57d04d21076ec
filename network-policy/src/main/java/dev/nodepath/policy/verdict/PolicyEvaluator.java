package dev.nodepath.policy.verdict;

import dev.nodepath.endpoints.NamespacedName;
import dev.nodepath.linux.address.IpAddress;
import dev.nodepath.policy.object.BlockPeer;
import dev.nodepath.policy.object.Direction;
import dev.nodepath.policy.object.NetworkPolicy;
import dev.nodepath.policy.object.Peer;
import dev.nodepath.policy.object.PodPeer;
import dev.nodepath.policy.object.PolicyPod;
import dev.nodepath.policy.object.PolicyPort;
import dev.nodepath.policy.object.PolicyRule;
import dev.nodepath.policy.object.PolicySnapshot;
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
    private final Map<String, List<NetworkPolicy>> policies;

    /** The policies of a snapshot. */
    public PolicyEvaluator(PolicySnapshot snapshot) {
        this.snapshot = snapshot;
        snapshot.pods().values().stream()
                .sorted(Comparator.comparing(PolicyPod::name))
                .forEach(pod -> pod.addresses().forEach(address -> pods.putIfAbsent(address, pod)));
        policies = snapshot.policiesByNamespace();
    }

    /** What the policies say. Later packets of a connection pass with the first one. */
    public PolicyVerdict judge(PolicyPacket packet) {
        Optional<PolicyPod> source = Optional.ofNullable(pods.get(packet.source()));
        Optional<PolicyPod> destination = Optional.ofNullable(pods.get(packet.destination()));
        if (source.isPresent() && source.equals(destination)) {
            PolicyAnswer itself = new PolicyAnswer.Free(PolicyAnswer.Reason.ITSELF);
            return new PolicyVerdict(itself, itself);
        }
        PolicyAnswer ingress = packet.fromOwnNode()
                ? new PolicyAnswer.Free(PolicyAnswer.Reason.OWN_NODE)
                : ask(Direction.INGRESS, destination, packet.source(), packet);
        return new PolicyVerdict(ask(Direction.EGRESS, source, packet.destination(), packet), ingress);
    }

    private PolicyAnswer ask(
            Direction direction, Optional<PolicyPod> subject, IpAddress otherEnd, PolicyPacket packet) {
        if (subject.isEmpty()) {
            return new PolicyAnswer.Free(PolicyAnswer.Reason.NO_POD);
        }
        List<NamespacedName> isolating = new ArrayList<>();
        for (NetworkPolicy policy : policies.getOrDefault(subject.get().name().namespace(), List.of())) {
            if (!policy.isolates(subject.get(), direction)) {
                continue;
            }
            for (PolicyRule rule : policy.rules(direction).orElse(List.of())) {
                if (hasPeer(rule, otherEnd) && hasPort(rule, packet)) {
                    return new PolicyAnswer.Allowed(policy.name(), rule.number());
                }
            }
            isolating.add(policy.name());
        }
        return isolating.isEmpty()
                ? new PolicyAnswer.Free(PolicyAnswer.Reason.NOT_ISOLATED)
                : new PolicyAnswer.Refused(subject.get().name(), List.copyOf(isolating));
    }

    private boolean hasPeer(PolicyRule rule, IpAddress otherEnd) {
        if (rule.peers().isEmpty()) {
            return true;
        }
        PolicyPod pod = pods.get(otherEnd);
        for (Peer peer : rule.peers()) {
            boolean is = peer instanceof PodPeer pods
                    ? pod != null && snapshot.matches(pods, pod)
                    : peer instanceof BlockPeer block && block.contains(otherEnd);
            if (is) {
                return true;
            }
        }
        return false;
    }

    private boolean hasPort(PolicyRule rule, PolicyPacket packet) {
        return rule.ports().isEmpty() || rule.ports().stream().anyMatch(port -> isPort(port, packet));
    }

    /** A name is one of the destination's, in both directions. */
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
