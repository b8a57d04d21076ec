package dev.nodepath.cni.server;

import dev.nodepath.cni.result.CallOutcome;
import java.time.Duration;

/** What a {@link CniServer} tells of its work; called from its threads. */
public interface CniServerListener {
    /** A call is done, whatever came out of it. */
    void served(CallRequest request, CallOutcome outcome, Duration duration);

    /** A client was sent away, or left, before its call was begun. */
    void refused(String reason);

    /** A call was left to its client, because it depends on files or programs of the client's. */
    void leftToClient(CallRequest request);

    /** A client left before it had its answer; it or its runtime will come again. */
    void answerLost(CallRequest request, String reason);

    /** No connection could be taken; the server tries again after a pause. */
    void acceptFailed(String reason);
}
