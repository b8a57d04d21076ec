package dev.nodepath.emulator;

import dev.nodepath.emulator.topology.Topology;
import dev.nodepath.emulator.topology.TopologyReader;
import dev.nodepath.endpoints.source.manifests.ManifestException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Objects;

/** The two-node topology that comes with Nodepath. */
final class DefaultTopology {
    private static final String RESOURCE = "two-nodes.yaml";

    private DefaultTopology() {}

    /** Writes it to a file and reads it from there. */
    static Topology write(Path file) throws IOException, ManifestException {
        try (InputStream content =
                Objects.requireNonNull(DefaultTopology.class.getResourceAsStream(RESOURCE), RESOURCE)) {
            Files.copy(content, file);
        }
        return TopologyReader.read(file);
    }
}
