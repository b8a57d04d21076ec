package dev.nodepath.emulator.walk;

import dev.nodepath.policy.object.PolicyQuestion;

/**
 * Policies are asked about a packet.
 *
 * @param asker who asks them
 */
public record PolicyHop(Asker asker, PolicyQuestion question) {
    /** Who asks. */
    public enum Asker {
        /** The node's table, where the packet passes it. */
        KERNEL,
        /** The relay of userspace mode, before it connects. */
        RELAY,
        /** Nobody: the node always reaches its own pods. */
        NOBODY
    }

    /** Whether the packet goes no further. */
    public boolean refuses() {
        return !question.answer().allows();
    }
}
