package dev.nodepath.cni.protocol;

import java.nio.file.Path;
import java.util.Optional;

/**
 * The location of a container's network namespace.
 *
 * @param netns the path from the runtime, which results repeat; empty if the container has no namespace any more
 * @param opened a file to open in its place
 */
public record Sandbox(String netns, Optional<Path> opened) {

    /** Whether a namespace is given. */
    public boolean isGiven() {
        return opened.isPresent() || !netns.isEmpty();
    }

    /**
     * The file to open.
     *
     * @throws java.nio.file.InvalidPathException if the runtime's text is no path
     */
    public Path file() {
        return opened.orElseGet(() -> Path.of(netns));
    }
}
