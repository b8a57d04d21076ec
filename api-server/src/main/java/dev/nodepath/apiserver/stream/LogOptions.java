package dev.nodepath.apiserver.stream;

import java.time.Instant;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * Which part of a container's log a client wants ({@code PodLogOptions}).
 *
 * @param container empty for the only one
 * @param follow whether to go on with new lines
 * @param previous whether of the container's run before the last restart
 * @param timestamps whether each line begins with its time in RFC 3339
 * @param since only lines from this moment on
 * @param tailLines only that many of the last lines
 * @param limitBytes only that many octets
 */
public record LogOptions(
        String container,
        boolean follow,
        boolean previous,
        boolean timestamps,
        Optional<Instant> since,
        OptionalLong tailLines,
        OptionalLong limitBytes) {}
