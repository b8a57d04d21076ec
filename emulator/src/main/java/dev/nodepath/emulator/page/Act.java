package dev.nodepath.emulator.page;

import java.util.Locale;

/** What a reader of the page does to the cluster. */
enum Act {
    SWITCH_MODE,
    KILL_AGENT,
    START_AGENT,
    RESTART_AGENT,
    KILL_NODE,
    START_NODE,
    RESTART_NODE,
    /** Its controller makes another. */
    KILL_POD,
    /** Nobody makes it again. */
    KILL_LONE_POD,
    RESTART_POD,
    SET_READY,
    SET_NOT_READY,
    SCALE,
    EDIT_SERVICE,
    COMPARE;

    /** The word for programs, such as {@code kill-node}. */
    @Override
    public String toString() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }
}
