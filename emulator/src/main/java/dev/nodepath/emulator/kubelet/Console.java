package dev.nodepath.emulator.kubelet;

import com.fasterxml.jackson.databind.JsonNode;

/**
 * The input of a container.
 *
 * @param stdin whether clients may write to it; else it reads nothing
 * @param once whether it ends when the first client ends it
 * @param tty whether it is a terminal
 */
record Console(boolean stdin, boolean once, boolean tty) {
    /** An input that ends only with this process. */
    static final Console HELD = new Console(true, false, false);

    static Console of(JsonNode container) {
        return new Console(
                container.path("stdin").asBoolean(false),
                container.path("stdinOnce").asBoolean(false),
                container.path("tty").asBoolean(false));
    }

    /** Whether a person uses it. */
    boolean isInteractive() {
        return stdin && tty;
    }
}
