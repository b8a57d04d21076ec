package dev.nodepath.report;

/** A report cannot be read: the message has the file or field, its value and the expected one. */
public final class ReportException extends Exception {
    /** The message is one line for a person. */
    public ReportException(String message) {
        super(message);
    }
}
