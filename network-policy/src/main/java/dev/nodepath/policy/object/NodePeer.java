package dev.nodepath.policy.object;

/** Nodes that a selector selects, by the addresses of their status. */
public record NodePeer(LabelSelector nodes) implements Peer {
    /** The peer in words; different peers have different words. */
    @Override
    public String toString() {
        return "nodes with {" + nodes + "}";
    }
}
