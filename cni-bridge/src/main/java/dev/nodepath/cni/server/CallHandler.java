package dev.nodepath.cni.server;

import dev.nodepath.cni.Outcome;
import dev.nodepath.linux.Descriptor;
import java.util.Optional;

/** What makes the calls that a {@link CniServer} takes, on the thread of each call. */
@FunctionalInterface
public interface CallHandler {
    /**
     * Makes a call. Whatever goes wrong is in the outcome.
     *
     * @param namespace the opened {@code CNI_NETNS}; the caller closes it
     */
    Outcome handle(CallRequest request, Optional<Descriptor> namespace);
}
