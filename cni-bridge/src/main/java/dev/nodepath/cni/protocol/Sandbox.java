package dev.nodepath.cni.protocol;

import java.nio.file.Path;
import java.util.Optional;

/**
 * Where a container's network namespace is.
 *
 * @param netns the path that the runtime gave, which results repeat; empty if it has none any more
 * @param opened a file to open in its place
 */
public record Sandbox(String netns, Optional<Path> opened) {

    /** Whether there is any. */
    public boolean isGiven() {
        return opened.isPresent() || !netns.isEmpty();
    }

    /**
     * What to open.
     *
     * @throws java.nio.file.InvalidPathException if the runtime gave what no path can be
     */
    public Path file() {
        return opened.orElseGet(() -> Path.of(netns));
    }
}
