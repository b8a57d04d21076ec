package dev.nodepath.cni.server;

import dev.nodepath.cni.protocol.CallOutcome;
import java.time.Duration;

/** Receives the events of a {@link CniServer}, on its threads. */
public interface CniServerListener {
    /** A call has ended, with any outcome. */
    void served(CallRequest request, CallOutcome outcome, Duration duration);

    /** A client was refused, or left, before its call began. */
    void refused(String reason);

    /** A call was left to its client, because it needs the client's files or programs. */
    void leftToClient(CallRequest request);

    /** A client left before its answer. It or its runtime will repeat the call. */
    void answerLost(CallRequest request, String reason);

    /** The calls before the first client have ended, with this outcome of the last. A failure hinders no client. */
    void rehearsed(CallOutcome last);

    /** No connection could be accepted. The server tries again after a pause. */
    void acceptFailed(String reason);
}
