package dev.nodepath.emulator.enclosure;

import dev.nodepath.linux.BuiltNodepath;
import java.io.IOException;
import java.nio.file.Path;

/** How {@code scripts/nodepath} starts the agents of a cluster, for a cluster in the JVM of a test. */
public final class BuiltJava {
    private BuiltJava() {}

    /** The archive of classes is the one from {@code scripts/junit}. */
    public static JavaCommand command() throws IOException {
        return new JavaCommand(
                Path.of(System.getProperty("java.home"), "bin", "java"),
                BuiltNodepath.classPath(),
                Path.of(System.getProperty("nodepath.home"), "scripts"));
    }
}
