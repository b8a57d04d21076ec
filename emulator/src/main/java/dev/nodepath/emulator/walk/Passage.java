package dev.nodepath.emulator.walk;

import dev.nodepath.endpoints.trace.Trace;
import java.util.List;

/**
 * What one node's proxy does to a packet.
 *
 * @param hops a sentence for each rule
 * @param outcomes the possible ones
 * @param relayed whether the packet ends at a relay, which opens a connection of its own to an endpoint
 */
record Passage(List<Hop> hops, List<Trace.Outcome> outcomes, boolean relayed) {
    Passage {
        hops = List.copyOf(hops);
        outcomes = List.copyOf(outcomes);
    }

    /** The hops of one outcome. */
    List<Hop> hopsTo(Trace.Outcome outcome) {
        return hops.stream()
                .filter(hop -> hop.step().isEmpty()
                        || outcome.steps().contains(hop.step().get()))
                .toList();
    }

    /** The tracer's steps of the rules. */
    List<Trace.Step> steps() {
        return hops.stream().flatMap(hop -> hop.step().stream()).toList();
    }

    /** Whether the packet goes on as it came. */
    boolean changesNothing() {
        return outcomes.size() == 1
                && outcomes.get(0).verdict() == Trace.Verdict.UNTOUCHED
                && !outcomes.get(0).masqueraded();
    }
}
