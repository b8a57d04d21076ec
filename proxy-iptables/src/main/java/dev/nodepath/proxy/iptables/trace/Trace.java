package dev.nodepath.proxy.iptables.trace;

import dev.nodepath.linux.address.IpAddress;
import dev.nodepath.linux.iptables.rule.Table;
import java.util.List;

/**
 * What happens to a packet.
 *
 * @param packet which one
 * @param steps the rules that take it, in the order they are met; all those of the ways that are left to chance
 * @param outcomes what becomes of it, in the order of the rules; the probabilities add up to 1
 */
public record Trace(TracedPacket packet, List<Step> steps, List<Outcome> outcomes) {

    /** Copies the lists. */
    public Trace {
        steps = List.copyOf(steps);
        outcomes = List.copyOf(outcomes);
    }

    /**
     * A rule that takes the packet.
     *
     * @param table where
     * @param chain where
     * @param depth how many jumps deep, 0 for a chain of the kernel's
     * @param number the rule's place among ours in the chain, from 1
     * @param rule its text
     */
    public record Step(Table table, String chain, int depth, int number, String rule) {}

    /** How it ends. */
    public enum Verdict {
        /** It goes to an endpoint. */
        ENDPOINT,
        /** It is let in. */
        ACCEPT,
        /** It is lost without an answer. */
        DROP,
        /** Its sender is told that nobody listens. */
        REJECT,
        /** No rule of ours decides: it goes where it was sent to. */
        UNTOUCHED
    }

    /**
     * One way it may end.
     *
     * @param address where it goes in the end, or would have gone
     * @param probability 0 to 1
     * @param masqueraded whether the receiver sees an address of this node instead of the sender's
     */
    public record Outcome(Verdict verdict, IpAddress address, int port, double probability, boolean masqueraded) {}

    /**
     * The whole in one line: all possible endpoints in the order of the rules, or the verdict; empty if it is untouched.
     */
    public String summary() {
        return String.join(
                ", ",
                outcomes.stream()
                        .map(outcome -> switch (outcome.verdict()) {
                            case ENDPOINT -> outcome.address().withPort(outcome.port());
                            case UNTOUCHED -> "";
                            default -> outcome.verdict().name();
                        })
                        .distinct()
                        .toList());
    }

    /** Whether the packet is masqueraded on any of its ways. */
    public boolean masqueraded() {
        return outcomes.stream().anyMatch(Outcome::masqueraded);
    }
}
