package dev.nodepath.agent.parts;

/**
 * The state of a part at one moment.
 *
 * @param up whether it works
 * @param failures how often it has failed since the process started
 * @param problem why it is not up; empty while it is up, and before its first report
 */
public record PartState(boolean up, long failures, String problem) {
    static final PartState NEW = new PartState(false, 0, "");
}
