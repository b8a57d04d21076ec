package dev.nodepath.image;

import java.nio.file.Path;

/** The checkout. */
final class Home {
    static final Path DIRECTORY =
            Path.of(System.getProperty("nodepath.home", "..")).toAbsolutePath().normalize();
    static final Path KIND = DIRECTORY.resolve("scripts/kind");

    private Home() {}
}
