package dev.nodepath.apiserver.stream;

import java.time.Instant;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * The part of a container's log for a client ({@code PodLogOptions}).
 *
 * @param container empty for the only one
 * @param follow whether to go on with new lines
 * @param previous whether to read the run before the last restart
 * @param timestamps whether each line begins with its time in RFC 3339
 * @param since only lines since this time
 * @param tailLines only so many of the last lines
 * @param limitBytes only so many octets
 */
public record LogOptions(
        String container,
        boolean follow,
        boolean previous,
        boolean timestamps,
        Optional<Instant> since,
        OptionalLong tailLines,
        OptionalLong limitBytes) {}
