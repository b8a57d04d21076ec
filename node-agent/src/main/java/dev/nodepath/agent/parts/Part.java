package dev.nodepath.agent.parts;

/** One piece of work. It runs on a thread of its own, and is begun again after a while when it fails. */
public interface Part {
    /** A word for logs and metrics, such as {@code proxy}. */
    String name();

    /**
     * Works until it is told to stop. What it opened is closed when it returns or throws.
     *
     * @throws Exception why the work cannot go on; the message is for people
     */
    void run(Running running) throws Exception;
}
