package dev.nodepath.linux;

import dev.nodepath.linux.namespace.NamedNamespaces;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/** The named namespaces of the real kernel, as in {@code ip netns}. */
public final class NamespaceNames {
    private NamespaceNames() {}

    /** All names, sorted. */
    public static List<String> all() throws IOException {
        if (Files.notExists(NamedNamespaces.DIRECTORY)) {
            return List.of();
        }
        try (Stream<Path> files = Files.list(NamedNamespaces.DIRECTORY)) {
            return files.map(file -> String.valueOf(file.getFileName()))
                    .sorted()
                    .toList();
        }
    }
}
