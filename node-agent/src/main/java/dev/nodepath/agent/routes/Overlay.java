package dev.nodepath.agent.routes;

import java.util.Locale;

/** How packets get to the pods of other nodes ({@code --overlay}). */
public enum Overlay {
    /** By a route through the node's address where it is on a link of this node, by VXLAN where it is not. */
    AUTO,
    /** By routes alone; nodes on other links are left to the network between. */
    NONE,
    /** By VXLAN to every node. */
    VXLAN;

    @Override
    public String toString() {
        return name().toLowerCase(Locale.ROOT);
    }
}
