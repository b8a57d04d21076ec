package dev.nodepath.emulator.kubelet;

/** A container cannot be started. */
final class StartException extends Exception {
    private static final long serialVersionUID = 1L;

    private final String reason;

    /**
     * A failure.
     *
     * @param reason as in a container's {@code state.waiting.reason}, such as {@code CreateContainerConfigError}
     */
    StartException(String reason, String message) {
        super(message);
        this.reason = reason;
    }

    String reason() {
        return reason;
    }
}
