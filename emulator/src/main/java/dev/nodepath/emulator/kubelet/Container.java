package dev.nodepath.emulator.kubelet;

import dev.nodepath.apiserver.StatusException;
import dev.nodepath.apiserver.stream.ExecOptions;
import dev.nodepath.apiserver.stream.ExecOutput;
import dev.nodepath.apiserver.stream.ExecProcess;
import java.io.IOException;
import java.time.Duration;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;

/** A started container: a process, or the built-in server. */
interface Container {
    /** A container without work: it has ended at once. */
    Container DONE = new Container() {
        @Override
        public CompletableFuture<Integer> ended() {
            return CompletableFuture.completedFuture(0);
        }

        @Override
        public void stop(Duration grace) {}
    };

    /** Completes with the exit code when it has ended by itself or was stopped. */
    CompletableFuture<Integer> ended();

    /** Whether the kernel has killed the container, or one of its processes, for its use of memory. */
    default boolean ranOutOfMemory() {
        return false;
    }

    /**
     * A Service leads to these ports. The built-in server listens on them from now on; a process chooses its own
     * ports.
     */
    default void serve(Set<Integer> ports) throws IOException {}

    /**
     * From now on a client reads the container's output, and writes to its input if it has one.
     *
     * @return the client; empty if the container has ended and keeps no output for it
     * @throws StatusException if the container has no output of its own
     */
    default Optional<ExecProcess> attach(ExecOptions options, ExecOutput output) {
        throw StatusException.badRequest("attach: the built-in server serves this container and has no input or"
                + " output (expected: a container with a command; or exec, or logs)");
    }

    /** Asks it to end, waits for the grace at most, then ends it by force. */
    void stop(Duration grace) throws InterruptedException;
}
