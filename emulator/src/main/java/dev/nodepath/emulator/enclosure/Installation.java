package dev.nodepath.emulator.enclosure;

import dev.nodepath.agent.options.CommandException;
import java.nio.file.Path;

/** Finds the scripts of this checkout or installation. */
public final class Installation {
    private static final String SCRIPTS = "nodepath.scripts";

    private Installation() {}

    /**
     * The folder of {@code nodepath}, {@code nodepath-bridge} and {@code enclose}, which {@code scripts/nodepath}
     * passes on.
     */
    public static Path scripts() throws CommandException {
        String scripts = System.getProperty(SCRIPTS);
        if (scripts == null) {
            throw CommandException.failed(
                    "system property " + SCRIPTS + ": not set (expected: started by scripts/nodepath)");
        }
        return Path.of(scripts);
    }
}
