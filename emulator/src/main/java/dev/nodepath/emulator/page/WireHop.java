package dev.nodepath.emulator.page;

import dev.nodepath.emulator.page.NodeFlow.Packet;

/**
 * A packet on a link of a node.
 *
 * @param node the node of the link
 * @param link its name
 * @param outgoing whether the packet leaves the node by it; else it comes in
 * @param nanos when, since 1970
 * @param packet with its addresses on this link
 * @param answer whether it goes back to the sender of the probe
 * @param encapsulated whether it is in VXLAN on this link
 */
record WireHop(
        String node, String link, boolean outgoing, long nanos, Packet packet, boolean answer, boolean encapsulated) {
    /** Source and destination as steps tell them: without the port of the probe's sender. */
    String ends() {
        return answer
                ? ends(packet.origin(), packet.destination().toString())
                : ends(packet.source().toString(), packet.target());
    }

    static String ends(String source, String destination) {
        return source + " \u2192 " + destination;
    }

    /** The link, and the direction as its node sees it. */
    String place() {
        return link + (outgoing ? " out" : " in") + (encapsulated ? " in VXLAN" : "");
    }

    boolean isLoopback() {
        return link.equals("lo");
    }
}
