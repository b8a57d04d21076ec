package dev.nodepath.apiserver.schema;

/** A value has another type than its field. */
final class MistypedException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final String reason;

    MistypedException(String reason) {
        super(reason);
        this.reason = reason;
    }

    /** In the words of Go's decoder. */
    String reason() {
        return reason;
    }
}
