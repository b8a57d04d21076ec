package dev.nodepath.cni.server;

import dev.nodepath.cni.protocol.CallOutcome;
import java.time.Duration;
import java.util.Queue;

/** A server's events as texts. */
record ServerEvents(Queue<String> events) implements CniServerListener {
    @Override
    public void served(CallRequest request, CallOutcome outcome, Duration duration) {
        events.add("served " + request.variables().get("CNI_COMMAND") + " " + outcome.exitCode());
    }

    @Override
    public void refused(String reason) {
        events.add("refused " + reason);
    }

    @Override
    public void leftToClient(CallRequest request) {
        events.add("left to client " + request.variables().get("CNI_COMMAND"));
    }

    @Override
    public void answerLost(CallRequest request, String reason) {
        events.add("answer lost " + reason);
    }

    @Override
    public void rehearsed(CallOutcome last) {
        events.add("rehearsed " + last.exitCode());
    }

    @Override
    public void acceptFailed(String reason) {
        events.add("accept failed " + reason);
    }
}
