package dev.nodepath.cni.server;

import dev.nodepath.cni.result.CallOutcome;
import dev.nodepath.linux.io.Descriptor;
import java.util.Optional;

/** What makes the calls that a {@link CniServer} takes, on the thread of each call. */
@FunctionalInterface
public interface CallHandler {
    /**
     * Makes a call. Whatever goes wrong is in the outcome.
     *
     * @param namespace the opened {@code CNI_NETNS}; the caller closes it
     * @return empty if nothing was done, because only a process of the client's own can make the call
     */
    Optional<CallOutcome> handle(CallRequest request, Optional<Descriptor> namespace);
}
