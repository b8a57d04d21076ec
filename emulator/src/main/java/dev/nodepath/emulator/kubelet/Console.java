package dev.nodepath.emulator.kubelet;

import com.fasterxml.jackson.databind.JsonNode;

/**
 * What a container has for its input.
 *
 * @param stdin whether clients may write to it; else it reads nothing
 * @param once whether it ends with the first client that ends it
 * @param tty whether it is a terminal
 */
record Console(boolean stdin, boolean once, boolean tty) {
    /** An input that ends with this process alone. */
    static final Console HELD = new Console(true, false, false);

    static Console of(JsonNode container) {
        return new Console(
                container.path("stdin").asBoolean(false),
                container.path("stdinOnce").asBoolean(false),
                container.path("tty").asBoolean(false));
    }

    /** Whether a person sits at it. */
    boolean isInteractive() {
        return stdin && tty;
    }
}
