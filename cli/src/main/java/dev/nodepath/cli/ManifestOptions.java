package dev.nodepath.cli;

import dev.nodepath.agent.options.CommandException;
import dev.nodepath.agent.options.ProxyOptions;
import dev.nodepath.emulator.cluster.DerivedSlices;
import dev.nodepath.endpoints.ServiceSnapshot;
import dev.nodepath.endpoints.SnapshotTracker;
import dev.nodepath.endpoints.source.ManifestException;
import dev.nodepath.endpoints.source.ManifestObject;
import dev.nodepath.endpoints.source.ManifestReader;
import dev.nodepath.endpoints.source.Manifests;
import dev.nodepath.endpoints.source.ServiceGaps;
import dev.nodepath.linux.address.IpFamily;
import dev.nodepath.policy.object.PolicyManifests;
import dev.nodepath.policy.object.PolicySnapshot;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** The option of manifests for commands that read them once. */
final class ManifestOptions {
    @Option(
            names = "--manifests",
            paramLabel = "PATH",
            arity = "1..*",
            description = "Files or folders of Kubernetes manifests: Services, EndpointSlices or Pods, Nodes,"
                    + " NetworkPolicies, ClusterNetworkPolicies, Namespaces.")
    private List<Path> manifests = new ArrayList<>();

    /** Read once. */
    private List<ManifestObject> objects = List.of();

    @Spec(Spec.Target.MIXEE)
    private CommandSpec command = CommandSpec.create();

    /** Whether the command line has it. */
    boolean isGiven() {
        return !manifests.isEmpty();
    }

    /**
     * Reads the files and folders; there must be one at least, and each must exist. A Service that selects Pods has
     * endpoints without EndpointSlices too. A Pod that cannot be an endpoint is a line on standard error.
     */
    ServiceSnapshot snapshot() throws CommandException, ManifestException {
        return snapshot(manifests());
    }

    /** The same for rules of one family. A Service without such rules, or without endpoints, is a warning. */
    ServiceSnapshot snapshot(IpFamily family) throws CommandException, ManifestException {
        Manifests read = manifests();
        ServiceSnapshot snapshot = snapshot(read);
        ServiceGaps.of(read, snapshot, family).forEach(gap -> tell("warning: " + gap));
        return snapshot;
    }

    /**
     * The policies, and the objects that they depend on. Unreadable parts allow nothing, as in the agent, and cause a
     * warning; so does a node without a pod that policies could isolate.
     */
    PolicySnapshot policies(String node) throws CommandException, ManifestException {
        List<String> problems = new ArrayList<>();
        PolicySnapshot policies =
                new PolicyManifests(objects(), problem -> problems.add(problem.getMessage())).snapshot();
        if (policies.isWithoutPolicies()) {
            return policies;
        }
        Set<String> nodes = new TreeSet<>();
        policies.pods().values().forEach(pod -> nodes.add(pod.node()));
        if (!nodes.isEmpty() && !nodes.contains(node)) {
            problems.add("--hostname-override: \"" + node + "\" has no pod that policies isolate (expected: "
                    + String.join(", ", nodes) + ")");
        }
        problems.forEach(problem -> tell("warning: " + problem));
        return policies;
    }

    private List<ManifestObject> objects() throws CommandException, ManifestException {
        if (manifests.isEmpty()) {
            throw CommandException.wrongUsage(List.of("--manifests: missing (expected: files or folders)"));
        }
        if (objects.isEmpty()) {
            objects = ManifestReader.objects(ProxyOptions.existing(manifests));
        }
        return objects;
    }

    private Manifests manifests() throws CommandException, ManifestException {
        List<ManifestObject> all = new ArrayList<>(objects());
        DerivedSlices derived = DerivedSlices.of(all);
        all.addAll(derived.slices());
        derived.problems().forEach(this::tell);
        return ManifestReader.check(all);
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
