package dev.nodepath.report;

/** A report cannot be read: it says which file or field, what it was and what was expected. */
public final class ReportException extends Exception {
    /** An exception whose message is one line for a person. */
    public ReportException(String message) {
        super(message);
    }
}
