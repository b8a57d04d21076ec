package dev.nodepath.emulator.walk;

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
 * @param quiet the tracer's steps that are told together, as none of them changes anything
 * @param effect what it does to the packet's addresses; that of a tracer's step is told by its rule
 */
record Hop(String where, String what, String rule, Optional<Trace.Step> step, List<Trace.Step> quiet, Effect effect) {
    Hop {
        quiet = List.copyOf(quiet);
    }

    /** What a hop does to the addresses of a packet. */
    enum Kind {
        /** Nothing. */
        NONE,
        /** The kernel gives the packet to a relay of the node. */
        REDIRECTED,
        /** The kernel refuses the packet. */
        REFUSED,
        /** The relay sends what it got on a connection of its own. */
        RELAYED,
        /** The source becomes the address of the effect. */
        MASQUERADED,
        /** The relay sends an answer to its client, which is the address of the effect. */
        COPIED,
        /** An answer gets the asked destination as its source, and goes to the address of the effect. */
        RESTORED
    }

    /**
     * An effect.
     *
     * @param address see {@link Kind}; empty if its kind names none
     */
    record Effect(Kind kind, String address) {
        static final Effect NONE = new Effect(Kind.NONE, "");

        static Effect of(Kind kind) {
            return new Effect(kind, "");
        }
    }

    static Hop of(String where, String what) {
        return of(where, what, Effect.NONE);
    }

    static Hop of(String where, String what, Effect effect) {
        return new Hop(where, what, "", Optional.empty(), List.of(), effect);
    }

    static Hop of(String where, Trace.Step step) {
        String rule = step.table() + " " + step.chain() + " " + step.number() + ": " + step.rule();
        return new Hop(where, RuleSentence.of(step), rule, Optional.of(step), List.of(), Effect.NONE);
    }

    /** Rules that leave the packet as it is. */
    static Hop quiet(String where, String what, List<Trace.Step> steps) {
        return new Hop(where, what, "", Optional.empty(), steps, Effect.NONE);
    }
}
