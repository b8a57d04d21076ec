package dev.nodepath.report;

import java.util.Map;

/**
 * The machine of a run and its other load.
 *
 * @param facts kernel, processor, versions and the like, by name, in the order they are shown
 * @param cores available to the run
 * @param conditions disturbances of the run
 */
public record Environment(Map<String, String> facts, int cores, Conditions conditions) {
    public Environment {
        facts = OrderedMap.copyOf(facts);
    }

    /** A copy with the conditions at the end of the run. */
    public Environment with(Conditions seen) {
        return new Environment(facts, cores, seen);
    }
}
