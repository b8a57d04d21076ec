package dev.nodepath.cni.protocol;

/** A refusal that the runtime is told as a CNI error object. */
public final class CniException extends Exception {
    private final int code;
    private final String details;

    /** A refusal whose message says it all. */
    public CniException(ErrorCode code, String message) {
        this(code, message, "");
    }

    /**
     * A refusal.
     *
     * @param details a longer explanation; empty for none
     */
    public CniException(ErrorCode code, String message, String details) {
        this(code.number(), message, details);
    }

    /** A refusal that another error led to. */
    public CniException(ErrorCode code, String message, Throwable cause) {
        super(message, cause);
        this.code = code.number();
        this.details = "";
    }

    /** A refusal by another plugin, with its own code. */
    public CniException(int code, String message, String details) {
        super(message);
        this.code = code;
        this.details = details;
    }

    /** What kind of refusal it is: the number of an {@link ErrorCode}, or another plugin's own. */
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
