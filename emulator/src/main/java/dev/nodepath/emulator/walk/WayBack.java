package dev.nodepath.emulator.walk;

import dev.nodepath.linux.address.IpAddress;

/**
 * The way back of an answer.
 *
 * @param node the one that has translated or relayed the packet, or has let it pass
 * @param asked what the packet was sent to
 * @param asker the source that it came to the node with
 * @param receiver who answers
 * @param reached where the packet went
 * @param seen the source that the receiver saw
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
