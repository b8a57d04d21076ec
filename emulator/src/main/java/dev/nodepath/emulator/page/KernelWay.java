package dev.nodepath.emulator.page;

import java.util.List;
import java.util.Set;

/**
 * What the kernels of the nodes say of a packet.
 *
 * @param hops the rules that took it on, node by node in the order of its way
 * @param silent the nodes whose kernel could not be asked, or does not trace the rules of the proxy
 * @param notes a sentence about each of them
 */
record KernelWay(List<KernelHop> hops, Set<String> silent, List<String> notes) {
    KernelWay {
        hops = List.copyOf(hops);
        silent = Set.copyOf(silent);
        notes = List.copyOf(notes);
    }
}
