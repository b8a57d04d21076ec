package dev.nodepath.emulator.kubelet;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.time.Instant;
import java.time.temporal.ChronoUnit;

/** The state of a container at one moment ({@code v1} ContainerState). */
sealed interface ContainerState {
    /** The state as a part of {@code containerStatuses}. */
    ObjectNode writeTo(ObjectNode parent);

    /** It is yet to start, or to start again. */
    record Waiting(String reason, String message) implements ContainerState {
        @Override
        public ObjectNode writeTo(ObjectNode parent) {
            ObjectNode waiting = parent.putObject("waiting").put("reason", reason);
            return message.isEmpty() ? waiting : waiting.put("message", message);
        }
    }

    /** It runs. */
    record Running(Instant startedAt) implements ContainerState {
        @Override
        public ObjectNode writeTo(ObjectNode parent) {
            return parent.putObject("running").put("startedAt", seconds(startedAt));
        }
    }

    /**
     * It has ended.
     *
     * @param reason such as {@code Completed}
     * @param message its last words; empty if there are none
     */
    record Terminated(int exitCode, String reason, String message, Instant startedAt, Instant finishedAt)
            implements ContainerState {
        @Override
        public ObjectNode writeTo(ObjectNode parent) {
            ObjectNode terminated = parent.putObject("terminated")
                    .put("exitCode", exitCode)
                    .put("reason", reason)
                    .put("startedAt", seconds(startedAt))
                    .put("finishedAt", seconds(finishedAt));
            return message.isEmpty() ? terminated : terminated.put("message", message);
        }
    }

    private static String seconds(Instant time) {
        return time.truncatedTo(ChronoUnit.SECONDS).toString();
    }
}
