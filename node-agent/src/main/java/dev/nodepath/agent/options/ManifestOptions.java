package dev.nodepath.agent.options;

import dev.nodepath.endpoints.ServiceSnapshot;
import dev.nodepath.endpoints.source.manifests.ManifestException;
import dev.nodepath.endpoints.source.manifests.ManifestReader;
import dev.nodepath.endpoints.tracker.SnapshotTracker;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import picocli.CommandLine.Option;

/** The option of manifests for commands that read them once. */
public final class ManifestOptions {
    @Option(
            names = "--manifests",
            paramLabel = "PATH",
            required = true,
            arity = "1..*",
            description = "Files or folders of Kubernetes manifests: Services, EndpointSlices, Nodes.")
    private List<Path> manifests = new ArrayList<>();

    /** Reads the files and folders; each must exist. */
    public ServiceSnapshot snapshot() throws CommandException, ManifestException {
        SnapshotTracker tracker = new SnapshotTracker();
        tracker.replaceAll(ManifestReader.read(ProxyOptions.existing(manifests)).cluster());
        return tracker.commit().snapshot();
    }
}
