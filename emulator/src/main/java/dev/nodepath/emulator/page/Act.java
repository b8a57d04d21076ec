package dev.nodepath.emulator.page;

import java.util.Locale;

/** What a reader of the page does to the cluster. */
enum Act {
    SWITCH_MODE("switch to %s mode"),
    KILL_AGENT("kill the agent (kill -9)"),
    START_AGENT("start the agent"),
    RESTART_AGENT("restart the agent"),
    KILL_NODE("kill the node (it loses its power)"),
    START_NODE("start the node"),
    RESTART_NODE("restart the node"),
    /** Its controller makes another. */
    KILL_POD("kill the pod"),
    KILL_LONE_POD("kill the pod (nobody makes it again)"),
    RESTART_POD("restart the pod"),
    SET_READY("set ready"),
    SET_NOT_READY("set not ready"),
    SCALE("scale to %s"),
    EDIT_SERVICE("set %s: %s"),
    COMPARE("compare %s and %s");

    private final String words;

    Act(String words) {
        this.words = words;
    }

    /** For readers, with the act's values. */
    String told(Object... values) {
        return String.format(Locale.ROOT, words, values);
    }

    /** The word for programs, such as {@code kill-node}. */
    @Override
    public String toString() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }
}
