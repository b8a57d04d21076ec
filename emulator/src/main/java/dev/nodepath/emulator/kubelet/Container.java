package dev.nodepath.emulator.kubelet;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;

/** A started container: a process, or the built-in server. */
interface Container {
    /** Completes with the exit code when it has ended by itself or was stopped. */
    CompletableFuture<Integer> ended();

    /** Asks it to end, waits no longer than this, then ends it by force. */
    void stop(Duration grace) throws InterruptedException;
}
