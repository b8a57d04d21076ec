package dev.nodepath.emulator.walk;

import dev.nodepath.endpoints.trace.Effect;
import dev.nodepath.endpoints.trace.Trace;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/**
 * One step on the way of a packet.
 *
 * @param where the pod, the node or the client of the step
 * @param actor the part of it that acts
 * @param what a sentence
 * @param rule the rule that acts, as the mode prints it; empty if no rule is named
 * @param step the tracer's step of this rule
 * @param rules all tracer steps that the hop reports; several if none of them changes anything
 * @param effect the kernel's action
 * @param rewrite the change of the packet's addresses
 * @param policy the policies' answer; empty if none is asked
 */
public record Hop(
        String where,
        Actor actor,
        String what,
        String rule,
        Optional<Trace.Step> step,
        List<Trace.Step> rules,
        Effect effect,
        Rewrite rewrite,
        Optional<PolicyHop> policy) {
    /** Stands before a node's name where the address of a relay is unknown. */
    public static final String RELAY = "relay on ";

    /** A part of a node, a pod or the client. */
    public enum Actor {
        /** A rule of the proxy. */
        PROXY_RULE,
        /** A rule of the agent's own chain. */
        AGENT_RULE,
        /** A rule of nobody known. */
        OTHER_RULE,
        /** NetworkPolicies. */
        POLICY,
        /** The relay of userspace mode. */
        RELAY,
        /** What the kernel remembers of the connection. */
        CONNECTION_TRACKING,
        /** The bridge of the node's pods. */
        BRIDGE,
        /** A process of the node that sends. */
        PROCESS,
        /** Its links and routes, and its processes otherwise. */
        HOST;

        /** The word for programs, such as {@code proxy-rule}. */
        @Override
        public String toString() {
            return name().toLowerCase(Locale.ROOT).replace('_', '-');
        }
    }

    /** No policy is asked. */
    public Hop(
            String where,
            Actor actor,
            String what,
            String rule,
            Optional<Trace.Step> step,
            List<Trace.Step> rules,
            Effect effect,
            Rewrite rewrite) {
        this(where, actor, what, rule, step, rules, effect, rewrite, Optional.empty());
    }

    public Hop {
        rules = List.copyOf(rules);
    }

    /**
     * The addresses of a packet.
     *
     * @param source without the sender's port, which is chosen at sending
     * @param destination with its port
     */
    public record Addresses(String source, String destination) {}

    /** A hop's change of the addresses of a packet. */
    @FunctionalInterface
    public interface Rewrite {
        Rewrite NONE = (now, seen) -> now;

        /**
         * The addresses after the hop.
         *
         * @param now the addresses before it
         * @param seen the addresses that the receiver sees
         */
        Addresses of(Addresses now, Addresses seen);

        /** A change to fixed addresses. */
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

    /** The place itself acts. */
    static Hop of(String where, String what) {
        return of(where, Actor.HOST, what);
    }

    /** A part of the place acts without a rule of the tracer's walk. */
    public static Hop of(String where, Actor actor, String what) {
        return of(where, actor, what, Rewrite.NONE);
    }

    /** A relay or the connection tracking rewrites the packet. */
    static Hop of(String where, Actor actor, String what, Rewrite rewrite) {
        return of(where, actor, what, Effect.Plain.NOTHING, rewrite);
    }

    /** A rule outside the tracer's walk acts. */
    static Hop of(String where, Actor actor, String what, Effect effect, Rewrite rewrite) {
        return new Hop(where, actor, what, "", Optional.empty(), List.of(), effect, rewrite);
    }

    /** Policies answer. */
    static Hop of(String where, String what, String rule, PolicyHop policy, Effect effect) {
        return new Hop(
                where,
                Actor.POLICY,
                what,
                rule,
                Optional.empty(),
                List.of(),
                effect,
                Rewrite.NONE,
                Optional.of(policy));
    }

    static Hop of(String where, Trace.Step step) {
        String rule = step.table() + " " + step.chain() + " " + step.number() + ": " + step.rule();
        Effect effect = step.effect();
        return new Hop(
                where,
                Actor.PROXY_RULE,
                effect.sentence(),
                rule,
                Optional.of(step),
                List.of(step),
                effect,
                Rewrite.by(effect));
    }

    /** Rules that leave the packet unchanged. */
    static Hop quiet(String where, String what, List<Trace.Step> steps) {
        return new Hop(where, Actor.PROXY_RULE, what, "", Optional.empty(), steps, Effect.Plain.NOTHING, Rewrite.NONE);
    }
}
