package dev.nodepath.page;

/** A file that is no complete recording. The message has the line, its content and the expected content. */
public final class RecordingException extends Exception {
    private static final long serialVersionUID = 1;

    /** A fault in a line. Lines count from 1. */
    RecordingException(int line, String what) {
        super("line " + line + ": " + what);
    }

    /** The fault of the whole file. */
    RecordingException(String what) {
        super(what);
    }
}
