package dev.nodepath.agent.routes;

import java.util.Locale;

/** How packets get to the pods of other nodes ({@code --overlay}). */
public enum Overlay {
    /** Routes to nodes on a link of this node, VXLAN to all others. */
    AUTO,
    /** Only routes. The network must forward packets between nodes that share no link. */
    NONE,
    /** VXLAN to every node. */
    VXLAN;

    @Override
    public String toString() {
        return name().toLowerCase(Locale.ROOT);
    }
}
