package dev.nodepath.apiserver.stream;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.nodepath.apiserver.StatusException;
import dev.nodepath.apiserver.request.PieceSource;
import java.util.List;

/** A kubelet's streams of its pods. Calls return at once or throw {@link StatusException}s. */
public interface PodStreams {
    /** The streams of a cluster without running pods: all are refused with 501. */
    PodStreams NONE = new PodStreams() {
        @Override
        public PieceSource log(ObjectNode pod, LogOptions options) {
            throw notImplemented("logs");
        }

        @Override
        public ExecProcess exec(ObjectNode pod, ExecOptions options, ExecOutput output) {
            throw notImplemented("exec and attach");
        }

        @Override
        public PortConnection connect(ObjectNode pod, int port, PortOutput output) {
            throw notImplemented("port-forward");
        }
    };

    /** A container's log. */
    PieceSource log(ObjectNode pod, LogOptions options);

    /**
     * Runs a command in a container, or attaches to the running one.
     *
     * @param output gets the command's output, from any thread
     */
    ExecProcess exec(ObjectNode pod, ExecOptions options, ExecOutput output);

    /**
     * Connects to a port of a pod.
     *
     * @param output gets the pod's octets, from any thread
     */
    PortConnection connect(ObjectNode pod, int port, PortOutput output);

    /** A refusal with 501. */
    static StatusException notImplemented(String what) {
        return new StatusException(
                501, "NotImplemented", "this cluster has no " + what + " of pods", "", "", "", List.of());
    }
}
