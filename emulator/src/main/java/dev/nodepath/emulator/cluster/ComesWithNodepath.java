package dev.nodepath.emulator.cluster;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Objects;

/** The manifests that come with Nodepath. */
public enum ComesWithNodepath {
    /** The two-node cluster of {@code compare}. */
    TWO_NODES("two-nodes.yaml"),
    /** The Service of the cluster's names. */
    DNS_SERVICE("dns-service.yaml"),
    /** The servers of the cluster's names. */
    DNS_SERVERS("dns-servers.yaml");

    private final String file;

    ComesWithNodepath(String file) {
        this.file = file;
    }

    /** Writes it to a folder, and returns the file. */
    public Path write(Path folder) throws IOException {
        Path written = folder.resolve(file);
        try (InputStream content = Objects.requireNonNull(ComesWithNodepath.class.getResourceAsStream(file), file)) {
            Files.copy(content, written);
        }
        return written;
    }
}
