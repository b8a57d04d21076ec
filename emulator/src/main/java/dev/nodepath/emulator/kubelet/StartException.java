package dev.nodepath.emulator.kubelet;

/** A container that cannot start. */
final class StartException extends Exception {
    private static final long serialVersionUID = 1L;

    private static final String NOT_RUN = "StartError";

    private final String reason;
    private final String event;

    /**
     * A failure.
     *
     * @param reason as in a container's {@code state.waiting.reason}, such as {@code CreateContainerConfigError}
     */
    StartException(String reason, String message) {
        this(reason, "Failed", message);
    }

    private StartException(String reason, String event, String message) {
        super(message);
        this.reason = reason;
        this.event = event;
    }

    /** A volume is missing: in Kubernetes the container is not created then. */
    static StartException ofMount(String message) {
        return new StartException("ContainerCreating", "FailedMount", message);
    }

    /** The container runtime has no program to run: in Kubernetes the container has ended then. */
    static StartException ofProgram(String message) {
        return new StartException(NOT_RUN, message);
    }

    /** Whether the container counts as ended after a run. */
    boolean isEnd() {
        return reason.equals(NOT_RUN);
    }

    /** The reason of the Event. */
    String event() {
        return event;
    }

    String reason() {
        return reason;
    }
}
