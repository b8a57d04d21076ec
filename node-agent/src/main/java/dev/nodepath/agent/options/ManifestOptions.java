package dev.nodepath.agent.options;

import dev.nodepath.endpoints.ServiceSnapshot;
import dev.nodepath.endpoints.source.manifests.ManifestException;
import dev.nodepath.endpoints.source.manifests.ManifestReader;
import dev.nodepath.endpoints.tracker.SnapshotTracker;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import picocli.CommandLine.Option;

/** Where the objects come from, for commands that read manifests once. */
public final class ManifestOptions {
    @Option(
            names = "--manifests",
            paramLabel = "PATH",
            required = true,
            arity = "1..*",
            description = "Files or folders of Kubernetes manifests: Services, EndpointSlices, Nodes.")
    private List<Path> manifests = new ArrayList<>();

    /** What the files and folders, each of which must be there, say. */
    public ServiceSnapshot snapshot() throws CommandException, ManifestException {
        SnapshotTracker tracker = new SnapshotTracker();
        tracker.replaceAll(ManifestReader.read(ProxyOptions.existing(manifests)).cluster());
        return tracker.commit().snapshot();
    }
}
