package dev.nodepath.emulator.page;

import java.util.List;
import java.util.Set;

/**
 * What the links of the nodes carried of a packet and of its answer.
 *
 * @param hops the first time that each link had it, in the order of time
 * @param watched the nodes all of whose packets are known
 * @param notes a sentence about each other node
 */
record WireWay(List<WireHop> hops, Set<String> watched, List<String> notes) {
    WireWay {
        hops = List.copyOf(hops);
        watched = Set.copyOf(watched);
        notes = List.copyOf(notes);
    }
}
