package dev.nodepath.emulator.cluster;

/** The state of a node's agent. */
public enum AgentState {
    /** It runs. */
    RUNS,
    /** It is about to start, perhaps in place of an earlier one. */
    STARTS,
    /** It has ended, or its node has no power. */
    ENDED
}
