package dev.nodepath.emulator.walk;

import dev.nodepath.policy.object.PolicyQuestion;

/**
 * A question to policies about a packet.
 *
 * @param asker the part that asks
 */
public record PolicyHop(Asker asker, PolicyQuestion question) {
    /** The part of a node that asks. */
    public enum Asker {
        /** The node's table, when it forwards the packet. */
        KERNEL,
        /** The relay of userspace mode, before it connects. */
        RELAY,
        /** No part: a node always reaches its own pods. */
        NOBODY
    }

    /** Whether the answer ends the packet here. */
    public boolean refuses() {
        return !question.answer().allows();
    }
}
