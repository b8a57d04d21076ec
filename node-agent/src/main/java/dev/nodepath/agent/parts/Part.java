package dev.nodepath.agent.parts;

/** A part of the process. It runs on a thread of its own and restarts after a wait when it fails. */
public interface Part {
    /** A word for logs and metrics, such as {@code proxy}. */
    String name();

    /**
     * Works until it is stopped, and closes its resources before it returns or throws.
     *
     * @throws Exception if the work cannot go on; the message is for people
     */
    void run(Running running) throws Exception;
}
