package dev.nodepath.emulator.page;

/**
 * What a sender has seen of its packet.
 *
 * @param kind what came back
 * @param localPort that the sender had; 0 if it had none
 * @param pod that names itself in the answer; empty if nobody does
 * @param seen the source that it says it saw; empty if it says none
 * @param micros until the answer, in microseconds
 * @param text of the answer or of the error, at most a line
 */
record ProbeAnswer(Kind kind, int localPort, String pod, String seen, long micros, String text) {
    /** What came back. */
    enum Kind {
        ANSWERED,
        /** The connection was taken, and nobody spoke. */
        TAKEN,
        /** The connection was taken, and ended without a byte. */
        CLOSED,
        REFUSED,
        UNREACHABLE,
        SILENT
    }
}
