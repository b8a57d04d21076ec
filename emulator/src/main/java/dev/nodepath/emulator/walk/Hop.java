package dev.nodepath.emulator.walk;

/**
 * One step on the way of a packet.
 *
 * @param where the pod, the node or the client that it happens at
 * @param what a sentence
 * @param rule the rule that does it, as the mode prints it; empty if no rule of the proxy does
 */
record Hop(String where, String what, String rule) {
    static Hop of(String where, String what) {
        return new Hop(where, what, "");
    }
}
