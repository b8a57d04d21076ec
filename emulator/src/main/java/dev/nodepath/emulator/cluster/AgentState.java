package dev.nodepath.emulator.cluster;

/** What the agent of a node does. */
public enum AgentState {
    /** It runs. */
    RUNS,
    /** It is about to start, maybe in place of another. */
    STARTS,
    /** It has ended, or its node has no power. */
    ENDED
}
