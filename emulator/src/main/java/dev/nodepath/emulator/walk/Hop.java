package dev.nodepath.emulator.walk;

import dev.nodepath.endpoints.trace.Effect;
import dev.nodepath.endpoints.trace.Trace;
import java.util.List;
import java.util.Optional;

/**
 * One step on the way of a packet.
 *
 * @param where the pod, the node or the client that it happens at
 * @param what a sentence
 * @param rule the rule that does it, as the mode prints it; empty if no rule of the proxy does
 * @param step the tracer's step of that rule
 * @param rules all steps of the tracer that it tells; several if none of them changes anything
 * @param effect what the kernel does
 * @param rewrite what becomes of the packet's addresses
 * @param policy what policies say here; empty if none is asked
 */
public record Hop(
        String where,
        String what,
        String rule,
        Optional<Trace.Step> step,
        List<Trace.Step> rules,
        Effect effect,
        Rewrite rewrite,
        Optional<PolicyHop> policy) {
    /** What stands before the name of a node where a relay has the place of an address. */
    public static final String RELAY = "relay on ";

    /** No policy is asked. */
    public Hop(
            String where,
            String what,
            String rule,
            Optional<Trace.Step> step,
            List<Trace.Step> rules,
            Effect effect,
            Rewrite rewrite) {
        this(where, what, rule, step, rules, effect, rewrite, Optional.empty());
    }

    public Hop {
        rules = List.copyOf(rules);
    }

    /**
     * What a packet says of itself.
     *
     * @param source without the sender's port, which is chosen when it is sent
     * @param destination with its port
     */
    public record Addresses(String source, String destination) {}

    /** What a hop makes of the addresses of a packet. */
    @FunctionalInterface
    public interface Rewrite {
        Rewrite NONE = (now, seen) -> now;

        /**
         * The addresses after the hop.
         *
         * @param now those before it
         * @param seen those that the receiver sees
         */
        Addresses of(Addresses now, Addresses seen);

        /** It always makes the same of them. */
        static Rewrite to(String source, String destination) {
            return (now, seen) -> new Addresses(source, destination);
        }

        private static Rewrite by(Effect effect) {
            if (effect instanceof Effect.NewDestination) {
                return (now, seen) -> new Addresses(now.source(), seen.destination());
            }
            return effect instanceof Effect.NewSource
                    ? (now, seen) -> new Addresses(seen.source(), now.destination())
                    : NONE;
        }
    }

    /** The kernel does nothing that a rule could tell. */
    public static Hop of(String where, String what) {
        return of(where, what, Rewrite.NONE);
    }

    /** A relay or the connection tracking rewrites the packet. */
    static Hop of(String where, String what, Rewrite rewrite) {
        return of(where, what, Effect.Plain.NOTHING, rewrite);
    }

    /** The kernel does it by a rule that the tracer does not walk. */
    static Hop of(String where, String what, Effect effect, Rewrite rewrite) {
        return new Hop(where, what, "", Optional.empty(), List.of(), effect, rewrite);
    }

    /** Policies say it. */
    static Hop of(String where, String what, String rule, PolicyHop policy, Effect effect) {
        return new Hop(where, what, rule, Optional.empty(), List.of(), effect, Rewrite.NONE, Optional.of(policy));
    }

    static Hop of(String where, Trace.Step step) {
        String rule = step.table() + " " + step.chain() + " " + step.number() + ": " + step.rule();
        Effect effect = step.effect();
        return new Hop(where, effect.sentence(), rule, Optional.of(step), List.of(step), effect, Rewrite.by(effect));
    }

    /** Rules that leave the packet as it is. */
    static Hop quiet(String where, String what, List<Trace.Step> steps) {
        return new Hop(where, what, "", Optional.empty(), steps, Effect.Plain.NOTHING, Rewrite.NONE);
    }
}
