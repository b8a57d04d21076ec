package dev.nodepath.image;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** The checkout. */
final class Home {
    static final Path DIRECTORY =
            Path.of(System.getProperty("nodepath.home", "..")).toAbsolutePath().normalize();
    static final Path KIND = DIRECTORY.resolve("scripts/kind");

    /** The version in the root's pom.xml. */
    static final String VERSION = version();

    private Home() {}

    private static String version() {
        try {
            return Files.readString(DIRECTORY.resolve("pom.xml"))
                    .lines()
                    .filter(line -> line.startsWith("  <version>"))
                    .map(line -> line.strip().replaceAll("</?version>", ""))
                    .findFirst()
                    .orElseThrow();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
