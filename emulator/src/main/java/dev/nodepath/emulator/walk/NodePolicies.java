package dev.nodepath.emulator.walk;

import dev.nodepath.emulator.walk.PolicyHop.Asker;
import dev.nodepath.endpoints.trace.Effect;
import dev.nodepath.endpoints.trace.TracedPacket;
import dev.nodepath.linux.address.IpAddress;
import dev.nodepath.policy.PolicyFrame;
import dev.nodepath.policy.object.Direction;
import dev.nodepath.policy.object.PolicyAnswer;
import dev.nodepath.policy.object.PolicyEvaluator;
import dev.nodepath.policy.object.PolicyPacket;
import dev.nodepath.policy.object.PolicyQuestion;
import dev.nodepath.policy.object.PolicySentence;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Answers of policies about packets, in the sentences of hops. Each node asks the policies of its own pods alone. A
 * pod without policies gets no sentence.
 */
final class NodePolicies {
    private final ClusterState cluster;
    private final PolicyEvaluator evaluator;

    NodePolicies(ClusterState cluster) {
        this.cluster = cluster;
        this.evaluator = new PolicyEvaluator(cluster.policies());
    }

    /**
     * A node's questions about a packet that it forwards or receives.
     *
     * @param packet with its translated destination, and its source on arrival
     */
    List<Hop> atNode(String node, TracedPacket packet) {
        boolean input = cluster.ownAddresses(node).contains(packet.destination());
        List<Hop> hops = new ArrayList<>();
        ask(node, packet, Asker.KERNEL, Direction.EGRESS)
                .ifPresent(egress -> hops.add(hop(node, packet, egress, input ? "input" : "forward")));
        if (!input && !refuse(hops)) {
            ask(node, packet, Asker.KERNEL, Direction.INGRESS)
                    .ifPresent(ingress -> hops.add(hop(node, packet, ingress, "forward")));
        }
        return hops;
    }

    /** A relay's questions before it connects to an endpoint: egress of its own node's pods, ingress of all. */
    List<Hop> atRelay(String node, TracedPacket packet) {
        List<Hop> hops = new ArrayList<>();
        for (Direction direction : List.of(Direction.EGRESS, Direction.INGRESS)) {
            if (!refuse(hops)) {
                ask(node, packet, Asker.RELAY, direction).ifPresent(each -> hops.add(hop(node, packet, each, "")));
            }
        }
        return hops;
    }

    /** The sentence about a packet from a node to one of its own pods. */
    List<Hop> fromOwnNode(String node, TracedPacket packet) {
        return ask(node, packet, Asker.NOBODY, Direction.INGRESS).map(each -> hop(node, packet, each, "")).stream()
                .toList();
    }

    /** Whether a policy ends the packet here. */
    static boolean refuse(List<Hop> asked) {
        return asked.stream().flatMap(hop -> hop.policy().stream()).anyMatch(PolicyHop::refuses);
    }

    /** Empty if no policy is asked about the end, or if another node asks. */
    private Optional<PolicyHop> ask(String node, TracedPacket packet, Asker asker, Direction direction) {
        boolean anyNode = asker == Asker.RELAY && direction == Direction.INGRESS;
        return evaluator
                .question(
                        direction,
                        new PolicyPacket(
                                packet.source(),
                                packet.destination(),
                                packet.protocol().number(),
                                packet.port(),
                                asker == Asker.NOBODY))
                .filter(question -> anyNode || question.pod().node().equals(node))
                .map(question -> new PolicyHop(asker, question));
    }

    /**
     * The hop.
     *
     * @param hook the hook of the asking base chain; empty without one
     */
    private Hop hop(String node, TracedPacket packet, PolicyHop asked, String hook) {
        Direction direction = asked.question().direction();
        String rule = hook.isEmpty()
                ? ""
                : PolicyFrame.table(packet.destination().family()) + " " + hook + "-" + direction.lowerCase();
        return Hop.of(node, sentence(asked, packet), rule, asked, effect(asked));
    }

    /** A relay refuses an endpoint, not the packet. */
    private static Effect effect(PolicyHop asked) {
        PolicyAnswer answer = asked.question().answer();
        if (asked.asker() != Asker.KERNEL || answer instanceof PolicyAnswer.Free) {
            return Effect.Plain.NOTHING;
        }
        return answer.allows() ? Effect.Plain.ACCEPTS : Effect.Plain.DROPS;
    }

    private String sentence(PolicyHop asked, TracedPacket packet) {
        PolicyQuestion question = asked.question();
        boolean ingress = question.direction() == Direction.INGRESS;
        boolean relay = asked.asker() == Asker.RELAY;
        return (ingress ? "Ingress" : "Egress") + (relay ? ", asked by the relay: " : ": ")
                + PolicySentence.of(
                        question,
                        name(ingress ? packet.source() : packet.destination()),
                        packet.protocol() + " port " + packet.port())
                + "." + (asked.refuses() ? refusal(relay) : "");
    }

    private static String refusal(boolean relay) {
        return relay ? " The relay leaves this endpoint out." : " The packet is dropped: its sender gets no answer.";
    }

    private String name(IpAddress address) {
        return cluster.policies().pods().values().stream()
                .filter(pod -> pod.addresses().contains(address))
                .map(pod -> pod.name().toString())
                .findFirst()
                .or(() -> cluster.at(address).map(host -> host.name() + " at " + address))
                .orElse(address.toString());
    }
}
