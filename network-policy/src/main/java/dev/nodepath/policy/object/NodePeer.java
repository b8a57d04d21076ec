package dev.nodepath.policy.object;

/** Nodes that a selector chooses, by the addresses of their status. */
public record NodePeer(LabelSelector nodes) implements Peer {
    /** In words, different for different peers. */
    @Override
    public String toString() {
        return "nodes with {" + nodes + "}";
    }
}
