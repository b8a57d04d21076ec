package dev.nodepath.emulator.kubelet;

/** A container cannot be started. */
final class StartException extends Exception {
    private static final long serialVersionUID = 1L;

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

    /** A volume is missing: in Kubernetes the container is not made yet then. */
    static StartException ofMount(String message) {
        return new StartException("ContainerCreating", "FailedMount", message);
    }

    /** The reason of the Event. */
    String event() {
        return event;
    }

    String reason() {
        return reason;
    }
}
