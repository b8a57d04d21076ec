package dev.nodepath.agent.options;

import dev.nodepath.endpoints.ServiceSnapshot;
import dev.nodepath.endpoints.source.manifests.ManifestException;
import dev.nodepath.endpoints.source.manifests.ManifestObject;
import dev.nodepath.endpoints.source.manifests.ManifestReader;
import dev.nodepath.endpoints.source.manifests.Manifests;
import dev.nodepath.endpoints.source.manifests.ServiceGaps;
import dev.nodepath.endpoints.tracker.SnapshotTracker;
import dev.nodepath.linux.address.IpFamily;
import dev.nodepath.policy.object.PolicyManifests;
import dev.nodepath.policy.object.PolicySnapshot;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.ServiceLoader;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** The option of manifests for commands that read them once. */
public final class ManifestOptions {
    @Option(
            names = "--manifests",
            paramLabel = "PATH",
            arity = "1..*",
            description = "Files or folders of Kubernetes manifests: Services, EndpointSlices or Pods, Nodes,"
                    + " NetworkPolicies, ClusterNetworkPolicies, Namespaces.")
    private List<Path> manifests = new ArrayList<>();

    @Spec(Spec.Target.MIXEE)
    private CommandSpec command = CommandSpec.create();

    /** Whether the command line has it. */
    public boolean isGiven() {
        return !manifests.isEmpty();
    }

    /**
     * Reads the files and folders; there must be one at least, and each must exist. Services of Pods have endpoints
     * also without EndpointSlices, where the emulator is installed. A Pod that cannot be an endpoint is a line on
     * standard error.
     */
    public ServiceSnapshot snapshot() throws CommandException, ManifestException {
        return snapshot(manifests());
    }

    /** The same for rules of one family. A Service without such rules, or without endpoints, is a warning. */
    public ServiceSnapshot snapshot(IpFamily family) throws CommandException, ManifestException {
        Manifests read = manifests();
        ServiceSnapshot snapshot = snapshot(read);
        ServiceGaps.of(read, snapshot, family).forEach(gap -> tell("warning: " + gap));
        return snapshot;
    }

    /** The policies, and what they depend on. What cannot be read allows nothing, as in the agent, and is a warning. */
    public PolicySnapshot policies() throws CommandException, ManifestException {
        List<ManifestObject> objects = ManifestReader.objects(ProxyOptions.existing(manifests));
        PolicyManifests.problems(objects).forEach(problem -> tell("warning: " + problem));
        return PolicyManifests.snapshot(objects);
    }

    private Manifests manifests() throws CommandException, ManifestException {
        if (manifests.isEmpty()) {
            throw CommandException.wrongUsage(List.of("--manifests: missing (expected: files or folders)"));
        }
        List<ManifestObject> objects = new ArrayList<>(ManifestReader.objects(ProxyOptions.existing(manifests)));
        ServiceLoader.load(ManifestEndpoints.class).findFirst().ifPresent(cluster -> {
            ManifestEndpoints.Derived derived = cluster.derive(objects);
            objects.addAll(derived.slices());
            derived.problems().forEach(this::tell);
        });
        return ManifestReader.check(objects);
    }

    private static ServiceSnapshot snapshot(Manifests read) {
        SnapshotTracker tracker = new SnapshotTracker();
        tracker.replaceAll(read.cluster());
        return tracker.commit().snapshot();
    }

    private void tell(String line) {
        PrintWriter err = command.commandLine().getErr();
        err.println("nodepath: " + line);
        err.flush();
    }
}
