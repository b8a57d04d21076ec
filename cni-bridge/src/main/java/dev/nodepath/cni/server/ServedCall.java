package dev.nodepath.cni.server;

import dev.nodepath.cni.AttachmentLocks;
import dev.nodepath.cni.protocol.CallOutcome;
import dev.nodepath.linux.io.Descriptor;
import dev.nodepath.linux.io.UnixConnection;
import dev.nodepath.linux.io.UnixConnection.Message;
import dev.nodepath.linux.syscall.LinuxNetException;
import java.time.Duration;
import java.util.Optional;

/** Serves one client, from the hello to the reply. */
final class ServedCall {
    /** How long a client may take to send its request or to read its reply. */
    private static final Duration MESSAGE_WAIT_MAX = Duration.ofSeconds(2);

    private static final int ROOT = 0;

    private final UnixConnection connection;
    private final CallHandler handler;
    private final AttachmentLocks locks;
    private final CniServerListener events;
    private boolean begun;
    private boolean leftToClient;

    ServedCall(UnixConnection connection, CallHandler handler, AttachmentLocks locks, CniServerListener events) {
        this.connection = connection;
        this.handler = handler;
        this.locks = locks;
        this.events = events;
    }

    /**
     * Serves the client.
     *
     * @param user the user ID that may connect, besides root
     */
    void run(int user, byte[] hello) {
        Optional<Message> message;
        try {
            int peer = connection.peerUser();
            if (peer != user && peer != ROOT) {
                events.refused("user " + peer + " (expected: " + user + " or root)");
                return;
            }
            connection.setTimeout(MESSAGE_WAIT_MAX);
            connection.send(hello, Optional.empty());
            message = connection.receive(CallMessages.REQUEST_BYTES_MAX);
        } catch (LinuxNetException e) {
            events.refused(String.valueOf(e.getMessage()));
            return;
        }
        if (message.isPresent()) {
            answer(message.get());
        } else {
            events.refused("the client left without a request");
        }
    }

    private void answer(Message message) {
        Optional<Descriptor> namespace = message.descriptor();
        try {
            CallRequest request = CallMessages.request(message.content());
            long start = System.nanoTime();
            CallOutcome outcome = locks.alone(request.variables(), () -> begin(request, namespace));
            if (leftToClient) {
                events.leftToClient(request);
                return;
            }
            if (!begun) {
                events.refused("not begun: " + outcome.stdout());
                return;
            }
            Duration duration = Duration.ofNanos(System.nanoTime() - start);
            try {
                connection.send(CallMessages.reply(outcome), Optional.empty());
            } catch (LinuxNetException e) {
                events.answerLost(request, String.valueOf(e.getMessage()));
            }
            events.served(request, outcome, duration);
        } catch (FrameException e) {
            events.refused(String.valueOf(e.getMessage()));
        } finally {
            if (namespace.isPresent()) {
                namespace.get().close();
            }
        }
    }

    /**
     * Runs the call, unless the client has left. It checks that under the attachment's lock. A later call of the same
     * attachment then either waits for the lock, or has ended, and this client has left.
     */
    private CallOutcome begin(CallRequest request, Optional<Descriptor> namespace) {
        if (connection.isPeerGone()) {
            return new CallOutcome(1, "the client left", "");
        }
        begun = true;
        Optional<CallOutcome> outcome = handler.handle(request, namespace);
        leftToClient = outcome.isEmpty();
        return outcome.orElse(new CallOutcome(1, "", ""));
    }
}
