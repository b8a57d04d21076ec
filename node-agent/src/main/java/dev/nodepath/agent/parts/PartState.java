package dev.nodepath.agent.parts;

/**
 * How a part is doing, at one moment.
 *
 * @param up whether it does what it is for
 * @param failures how often it has failed since the process started
 * @param problem why it is not up; empty while it is, and before it has said anything
 */
public record PartState(boolean up, long failures, String problem) {
    static final PartState NEW = new PartState(false, 0, "");
}
