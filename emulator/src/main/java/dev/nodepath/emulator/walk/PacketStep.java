package dev.nodepath.emulator.walk;

import dev.nodepath.endpoints.trace.Trace;
import java.util.List;

/**
 * One step of a packet to one receiver, or of its answer.
 *
 * @param where the pod, the node or the client that it happens at
 * @param what a sentence
 * @param hook of the kernel that the rule belongs to, such as {@code PREROUTING}; empty if no rule of the proxy does it
 * @param table of the rule
 * @param chain of the rule
 * @param rule its text
 * @param before source and destination when the step begins
 * @param after source and destination when it ends
 * @param rules all rules of the proxy that the step tells; none if no rule of the proxy does it
 * @param decision that the kernel is to take, if no such rule does
 * @param answer whether it is a step of the answer
 */
public record PacketStep(
        String where,
        String what,
        String hook,
        String table,
        String chain,
        String rule,
        Addresses before,
        Addresses after,
        List<Trace.Step> rules,
        Decision decision,
        boolean answer) {
    /** What stands before the name of a node where a relay has the place of an address. */
    public static final String RELAY = "relay on ";

    /** Copies the list. */
    public PacketStep {
        rules = List.copyOf(rules);
    }

    /** What the kernel does by rules that the tracer does not walk. */
    public enum Decision {
        NONE,
        /** It gives the packet to a relay of the node. */
        REDIRECT,
        /** It refuses the packet, as its portal has no endpoint. */
        REFUSE,
        /** It replaces the source of a packet that leaves the pods' networks. */
        MASQUERADE
    }

    /**
     * What a packet says of itself.
     *
     * @param source without the sender's port, which is chosen when it is sent
     * @param destination with its port
     */
    public record Addresses(String source, String destination) {}
}
