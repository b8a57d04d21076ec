package dev.nodepath.emulator.page;

import java.util.List;
import java.util.Set;

/**
 * The packet and its answer, on the links of the nodes.
 *
 * @param hops the first time that each link carried it, in the order of time
 * @param watched the nodes whose packets are all known
 * @param notes a sentence about each other node
 */
record WireWay(List<WireHop> hops, Set<String> watched, List<String> notes) {
    WireWay {
        hops = List.copyOf(hops);
        watched = Set.copyOf(watched);
        notes = List.copyOf(notes);
    }
}
