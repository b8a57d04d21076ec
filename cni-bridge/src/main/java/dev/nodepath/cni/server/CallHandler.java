package dev.nodepath.cni.server;

import dev.nodepath.cni.protocol.CallOutcome;
import dev.nodepath.linux.io.Descriptor;
import java.util.Optional;

/** Runs the calls of a {@link CniServer}, which makes each on a thread of its own. */
@FunctionalInterface
interface CallHandler {
    /**
     * Runs a call. Failures are in the outcome.
     *
     * @param namespace the opened {@code CNI_NETNS}; the caller closes it
     * @return empty if it did nothing because the client must run the call in its own process
     */
    Optional<CallOutcome> handle(CallRequest request, Optional<Descriptor> namespace);
}
