package dev.nodepath.emulator.page;

import java.util.List;
import java.util.Set;

/**
 * The reports of all nodes' kernels about a packet.
 *
 * @param hops the rules that matched it, node by node in the order of its way
 * @param silent the nodes whose kernel cannot trace, or does not trace the rules of the proxy
 * @param notes a sentence about each silent node
 */
record KernelWay(List<KernelHop> hops, Set<String> silent, List<String> notes) {
    KernelWay {
        hops = List.copyOf(hops);
        silent = Set.copyOf(silent);
        notes = List.copyOf(notes);
    }
}
