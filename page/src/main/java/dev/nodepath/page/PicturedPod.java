package dev.nodepath.page;

import java.util.List;

/**
 * A Pod.
 *
 * @param id its name as commands take it: {@code POD}, or {@code NAMESPACE/POD} outside of {@code default}
 * @param node it is on; empty while it has none
 * @param slot its place on the node, from 0; it keeps the place until it is gone
 * @param addresses one of each family; empty before it has a network
 * @param ready its condition {@code Ready}
 * @param ending whether it is being deleted
 * @param trouble why it is not ready; empty if it is
 * @param host whether it uses its node's network
 * @param ports that its containers declare; a reader can choose one
 * @param scales whether it belongs to a ReplicaSet
 */
public record PicturedPod(
        String id,
        String node,
        int slot,
        List<String> addresses,
        boolean ready,
        boolean ending,
        String trouble,
        boolean host,
        List<Integer> ports,
        boolean scales)
        implements Pictured {
    public PicturedPod {
        addresses = List.copyOf(addresses);
        ports = List.copyOf(ports);
    }

    /** The same Pod at another place. */
    public PicturedPod at(int place) {
        return new PicturedPod(id, node, place, addresses, ready, ending, trouble, host, ports, scales);
    }
}
