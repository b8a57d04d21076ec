package dev.nodepath.page;

/** A file that is no whole recording. The message names the line, what it has and what was expected. */
public final class RecordingException extends Exception {
    private static final long serialVersionUID = 1;

    /** Says what is wrong with a line, counted from 1. */
    RecordingException(int line, String what) {
        super("line " + line + ": " + what);
    }

    /** Says what is wrong with the whole file. */
    RecordingException(String what) {
        super(what);
    }
}
