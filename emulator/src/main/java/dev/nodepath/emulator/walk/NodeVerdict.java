package dev.nodepath.emulator.walk;

import dev.nodepath.endpoints.trace.Effect;
import dev.nodepath.endpoints.trace.Trace;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/**
 * The effect of one node's proxy on a packet.
 *
 * @param hops a sentence for each rule
 * @param outcomes the possible ones
 * @param relayed whether the packet ends at a relay, which opens a connection of its own to an endpoint
 */
record NodeVerdict(List<Hop> hops, List<Trace.Outcome> outcomes, boolean relayed) {
    NodeVerdict {
        hops = List.copyOf(hops);
        outcomes = List.copyOf(outcomes);
    }

    List<Hop> hopsTo(Trace.Outcome outcome) {
        return hops.stream()
                .filter(hop -> hop.step().isEmpty()
                        || outcome.steps().contains(hop.step().get()))
                .toList();
    }

    /** The hops of one outcome, around the place where the node's policies are asked. */
    Around hopsAround(Trace.Outcome outcome) {
        return Around.of(hopsTo(outcome));
    }

    /**
     * Hops before and after the node's policies, which are asked in FORWARD and INPUT, before the rules of proxies.
     *
     * @param before the hops of PREROUTING
     * @param behind the hops of FORWARD, INPUT and POSTROUTING
     */
    record Around(List<Hop> before, List<Hop> behind) {
        private static final Set<String> BEHIND = Set.of("INPUT", "FORWARD", "POSTROUTING");

        Around {
            before = List.copyOf(before);
            behind = List.copyOf(behind);
        }

        /** A relay's rule that refuses is no step of the tracer. */
        static Around of(List<Hop> hops) {
            List<Hop> before = new ArrayList<>();
            List<Hop> behind = new ArrayList<>();
            boolean passed = false;
            for (Hop hop : hops) {
                if (hop.step().isEmpty()) {
                    passed |= hop.effect() instanceof Effect.Refuses;
                } else if (hop.step().get().depth() == 0) {
                    passed = BEHIND.contains(PacketStep.hook(hop.step().get().chain()));
                }
                (passed ? behind : before).add(hop);
            }
            return new Around(before, behind);
        }
    }

    /** Whether the packet keeps its addresses. */
    boolean changesNothing() {
        return outcomes.size() == 1
                && outcomes.get(0).verdict() == Trace.Verdict.UNTOUCHED
                && !outcomes.get(0).masqueraded();
    }
}
