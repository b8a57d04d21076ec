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
    /** A container that had nothing to do. */
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

    /** Whether the kernel has ended it, or a process of it, for the memory that it used. */
    default boolean ranOutOfMemory() {
        return false;
    }

    /** A Service leads to these ports. The built-in server listens on them from now on; a process does as it likes. */
    default void serve(Set<Integer> ports) throws IOException {}

    /**
     * A client reads what it writes from now on, and writes to its input if it has one.
     *
     * @return the client; empty if the container has ended and keeps no output for it
     * @throws StatusException if it has no output of its own
     */
    default Optional<ExecProcess> attach(ExecOptions options, ExecOutput output) {
        throw StatusException.badRequest("attach: the built-in server serves this container and has no input or"
                + " output (expected: a container with a command; or exec, or logs)");
    }

    /** Asks it to end, waits no longer than this, then ends it by force. */
    void stop(Duration grace) throws InterruptedException;
}
