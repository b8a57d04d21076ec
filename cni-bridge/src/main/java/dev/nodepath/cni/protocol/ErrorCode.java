package dev.nodepath.cni.protocol;

/**
 * The codes of a CNI error object: CNI specification 1.1.0, section "Error", and libcni's
 * {@code types.ErrInvalidNetNS}.
 */
public enum ErrorCode {
    INCOMPATIBLE_VERSION(1),
    UNSUPPORTED_FIELD(2),
    UNKNOWN_CONTAINER(3),
    INVALID_ENVIRONMENT(4),
    IO_FAILURE(5),
    DECODING_FAILURE(6),
    INVALID_CONFIG(7),
    INVALID_NAMESPACE(8),
    TRY_AGAIN_LATER(11),
    UNAVAILABLE(50),
    INTERNAL(999);

    private final int number;

    ErrorCode(int number) {
        this.number = number;
    }

    /** The number in the error object. */
    public int number() {
        return number;
    }
}
