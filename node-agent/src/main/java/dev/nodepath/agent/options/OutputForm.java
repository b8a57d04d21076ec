package dev.nodepath.agent.options;

import java.util.Locale;

/** How a command prints its answer. */
public enum OutputForm {
    /** For people. */
    TEXT,
    /** For programs. */
    JSON;

    /** The value on the command line. */
    @Override
    public String toString() {
        return name().toLowerCase(Locale.ROOT);
    }
}
