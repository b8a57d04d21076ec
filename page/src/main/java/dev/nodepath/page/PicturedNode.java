package dev.nodepath.page;

import java.util.List;
import java.util.Optional;

/**
 * A node.
 *
 * @param id its name
 * @param addresses on the network between the nodes
 * @param podCidrs of its pods' addresses
 * @param ready its condition {@code Ready}
 * @param mode of its proxy
 * @param agent whether its agent runs
 * @param starting whether an agent is about to start, perhaps in place of one with another mode
 * @param power whether it has power; without power none of its programs runs
 * @param sync the last sync of its proxy; empty before the first
 * @param network the name of its network; nodes of different networks have an overlay between them
 */
public record PicturedNode(
        String id,
        List<String> addresses,
        List<String> podCidrs,
        boolean ready,
        String mode,
        boolean agent,
        boolean starting,
        boolean power,
        Optional<SyncPart> sync,
        String network)
        implements Pictured {
    public PicturedNode {
        addresses = List.copyOf(addresses);
        podCidrs = List.copyOf(podCidrs);
    }

    /**
     * A sync: the proxy has brought rules into force.
     *
     * @param at when it ended, in milliseconds since 1970
     * @param ok whether it succeeded
     * @param durationMs how long it took, in milliseconds
     * @param services how many Service ports it serves
     * @param changed how many of them this sync has changed
     */
    public record SyncPart(long at, boolean ok, long durationMs, int services, int changed) {}
}
