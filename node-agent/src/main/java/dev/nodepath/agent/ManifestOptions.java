package dev.nodepath.agent;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import picocli.CommandLine.Option;

/** Where the objects come from, for commands that read manifests once. */
final class ManifestOptions {
    @Option(
            names = "--manifests",
            paramLabel = "PATH",
            required = true,
            arity = "1..*",
            description = "Files or folders of Kubernetes manifests: Services, EndpointSlices, Nodes.")
    private List<Path> manifests = new ArrayList<>();

    /** The files and folders, each of which must be there. */
    List<Path> manifests() throws CommandException {
        return ProxyOptions.existing(manifests);
    }
}
