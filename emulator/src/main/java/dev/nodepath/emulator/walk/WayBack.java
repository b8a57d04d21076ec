package dev.nodepath.emulator.walk;

import dev.nodepath.linux.address.IpAddress;

/**
 * The way back of an answer.
 *
 * @param node the node that has translated or relayed the packet, or has let it pass
 * @param asked the packet's first destination
 * @param asker the packet's source on arrival at the node
 * @param receiver who answers
 * @param reached the packet's last destination
 * @param seen the source that the receiver sees
 * @param relayed whether a relay on the node has asked the receiver
 */
record WayBack(
        String node,
        WalkTarget asked,
        IpAddress asker,
        Host receiver,
        WalkTarget reached,
        IpAddress seen,
        boolean relayed) {
    boolean isTranslated() {
        return !asker.equals(seen) || !asked.address().equals(reached.address()) || asked.port() != reached.port();
    }
}
