package dev.nodepath.cni.protocol;

/** A failure that the runtime gets as a CNI error object. */
public final class CniException extends Exception {
    private final int code;
    private final String details;

    /** A failure without details. */
    public CniException(ErrorCode code, String message) {
        this(code, message, "");
    }

    /**
     * A failure.
     *
     * @param details a longer explanation; empty for none
     */
    public CniException(ErrorCode code, String message, String details) {
        this(code.number(), message, details);
    }

    /** A failure with its cause. */
    public CniException(ErrorCode code, String message, Throwable cause) {
        super(message, cause);
        this.code = code.number();
        this.details = "";
    }

    /** A failure of another plugin, with its code. */
    public CniException(int code, String message, String details) {
        super(message);
        this.code = code;
        this.details = details;
    }

    /** The error code: the number of an {@link ErrorCode}, or another plugin's code. */
    public int code() {
        return code;
    }

    /** A longer explanation; empty if there is none. */
    public String details() {
        return details;
    }

    /** The message of this exception, which is never null. */
    public String text() {
        String message = getMessage();
        return message == null ? "error " + code : message;
    }
}
