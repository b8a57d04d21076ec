package dev.nodepath.emulator.page;

/**
 * A sender's observation of its packet.
 *
 * @param kind what came back
 * @param localPort the sender's port; 0 if it had none
 * @param pod the pod's name in the answer; empty if there is none
 * @param seen the source that the pod saw; empty if the answer names none
 * @param micros until the answer, in microseconds
 * @param text of the answer or of the error, at most a line
 */
record ProbeAnswer(Kind kind, int localPort, String pod, String seen, long micros, String text) {
    /** The kind of response. */
    enum Kind {
        ANSWERED,
        /** The connection was accepted, and no byte came. */
        TAKEN,
        /** The connection was accepted, and closed without a byte. */
        CLOSED,
        REFUSED,
        UNREACHABLE,
        SILENT
    }
}
