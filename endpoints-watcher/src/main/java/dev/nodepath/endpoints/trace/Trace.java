package dev.nodepath.endpoints.trace;

import dev.nodepath.linux.address.IpAddress;
import java.util.List;

/**
 * The way of a packet through the rules.
 *
 * @param packet the packet
 * @param steps the rules that match it, in the order of their evaluation. If rules decide at random, it has the steps
 *     of every outcome.
 * @param outcomes the possible outcomes, in the order of the rules. Their probabilities add up to 1.
 */
public record Trace(TracedPacket packet, List<Step> steps, List<Outcome> outcomes) {

    public Trace {
        steps = List.copyOf(steps);
        outcomes = List.copyOf(outcomes);
    }

    /**
     * A rule that matches the packet.
     *
     * @param table the rule's table
     * @param chain the rule's chain
     * @param depth the number of jumps before the chain, 0 for a chain that the kernel enters itself
     * @param number the rule's position among our rules in the chain, from 1
     * @param rule its text
     * @param listed its text as the kernel's own tools list it
     * @param effect the effect of the rule
     * @param elements the elements that the rule finds in named sets and maps, in the order of its statements
     */
    public record Step(
            String table,
            String chain,
            int depth,
            int number,
            String rule,
            String listed,
            Effect effect,
            List<Element> elements) {
        public Step {
            elements = List.copyOf(elements);
        }
    }

    /**
     * A deciding element of a set or map.
     *
     * @param set the set's name
     * @param text the element, with a map's value for it
     */
    public record Element(String set, String text) {}

    /** The kind of an outcome. */
    public enum Verdict {
        /** It goes to an endpoint. */
        ENDPOINT,
        /** It is accepted by this host. */
        ACCEPT,
        /** It is dropped without an answer. */
        DROP,
        /** It is rejected with an answer to its sender. */
        REJECT,
        /** No rule of ours decides: it goes to its original destination. */
        UNTOUCHED
    }

    /**
     * A possible outcome.
     *
     * @param address the final destination, also if the packet does not reach it
     * @param probability 0 to 1
     * @param masqueraded whether the receiver sees an address of this node instead of the sender's
     * @param steps the rules that match the packets of this outcome, in the order of their evaluation
     */
    public record Outcome(
            Verdict verdict, IpAddress address, int port, double probability, boolean masqueraded, List<Step> steps) {
        public Outcome {
            steps = List.copyOf(steps);
        }

        /** An outcome without rules. */
        public Outcome(Verdict verdict, IpAddress address, int port, double probability, boolean masqueraded) {
            this(verdict, address, port, probability, masqueraded, List.of());
        }
    }
}
