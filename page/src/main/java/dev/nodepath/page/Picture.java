package dev.nodepath.page;

import java.util.List;

/**
 * A cluster at one moment, as the page draws it. Every list is in its final order, so two pictures of one cluster are
 * equal.
 *
 * @param mode of the proxies: {@code iptables}, {@code nftables} or {@code userspace}; {@code mixed} if nodes have
 *     different ones
 * @param client the client outside the cluster
 * @param nodes in natural order
 * @param pods by node, then by slot
 * @param services in natural order
 */
public record Picture(
        String mode,
        ClientPart client,
        List<PicturedNode> nodes,
        List<PicturedPod> pods,
        List<PicturedService> services) {
    /** No cluster yet. */
    public static final Picture EMPTY = new Picture("", new ClientPart("client", ""), List.of(), List.of(), List.of());

    public Picture {
        nodes = List.copyOf(nodes);
        pods = List.copyOf(pods);
        services = List.copyOf(services);
    }

    /**
     * The client outside the cluster.
     *
     * @param name as commands take it
     * @param address empty if it has none
     */
    public record ClientPart(String name, String address) {}
}
