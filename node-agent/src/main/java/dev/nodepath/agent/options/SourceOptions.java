package dev.nodepath.agent.options;

import dev.nodepath.endpoints.source.ManifestSource;
import dev.nodepath.endpoints.source.ServiceSource;
import dev.nodepath.endpoints.source.SourceException;
import dev.nodepath.endpoints.source.kubernetes.ApiListener;
import dev.nodepath.endpoints.source.kubernetes.ApiServerAccess;
import dev.nodepath.endpoints.source.kubernetes.KubernetesSource;
import dev.nodepath.endpoints.source.kubernetes.PolicyListener;
import dev.nodepath.endpoints.source.kubernetes.WatchLimits;
import dev.nodepath.policy.PolicyObjects;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** The options of a proxy's source: manifests or an API server. */
public final class SourceOptions {
    @Option(
            names = "--manifests",
            paramLabel = "PATH",
            arity = "1..*",
            description =
                    "Files or folders of Kubernetes manifests: Services, EndpointSlices, Nodes. They are read once, at the"
                            + " start.")
    private @Nullable List<Path> manifests;

    @Option(
            names = "--kubeconfig",
            paramLabel = "FILE",
            description = "Follow the API server of this file's current context (default without --master and"
                    + " --manifests: the API server of the cluster that this pod runs in).")
    private @Nullable Path kubeconfig;

    @Option(
            names = "--master",
            paramLabel = "URL",
            description = "URL of the API server to follow; overrides the one in the file of --kubeconfig.")
    private @Nullable String master;

    @Option(
            names = "--service-proxy-name",
            paramLabel = "NAME",
            description = "With an API server: serve only Services whose label"
                    + " service.kubernetes.io/service-proxy-name has this value (default: only Services without"
                    + " the label).")
    private String serviceProxyName = "";

    /**
     * The chosen source, not started.
     *
     * @param node the name of this node's Node, the only Node that is followed at an API server
     * @param listener gets the answers of an API server
     */
    public ServiceSource source(ProxyMode mode, String node, ApiListener listener)
            throws CommandException, SourceException {
        return source(mode, node, KubernetesSource.Nodes.OWN, Optional.empty(), listener);
    }

    /**
     * The source of an agent: it follows all Nodes.
     *
     * @param enforced gets all that NetworkPolicies depend on; empty if they are not enforced
     * @param policies is told of NetworkPolicies that are not enforced
     */
    public ServiceSource agentSource(
            ProxyMode mode,
            String node,
            Optional<PolicyObjects> enforced,
            PolicyListener policies,
            ApiListener listener)
            throws CommandException, SourceException {
        Optional<PolicyListener> told = enforced.isPresent() ? Optional.empty() : Optional.of(policies);
        ServiceSource source = source(mode, node, KubernetesSource.Nodes.ALL, told, listener);
        if (source instanceof KubernetesSource server) {
            enforced.ifPresent(objects -> objects.follow(server));
        }
        return source;
    }

    private ServiceSource source(
            ProxyMode mode,
            String node,
            KubernetesSource.Nodes nodes,
            Optional<PolicyListener> policies,
            ApiListener listener)
            throws CommandException, SourceException {
        if (manifests != null) {
            for (String other : given()) {
                throw CommandException.wrongUsage(
                        List.of("--manifests: given together with " + other + " (expected: one source)"));
            }
            return new ManifestSource(ProxyOptions.existing(manifests));
        }
        // Must be a label value; other text could change the selector.
        if (!serviceProxyName.matches("|[A-Za-z0-9]([A-Za-z0-9_.-]{0,61}[A-Za-z0-9])?")) {
            throw CommandException.wrongUsage(
                    List.of("--service-proxy-name: \"" + serviceProxyName + "\" (expected: a label value)"));
        }
        // Shared by threads, which Random allows.
        KubernetesSource source = new KubernetesSource(
                access().telling(listener),
                node,
                nodes,
                policies,
                serviceProxyName,
                WatchLimits.DEFAULT,
                new Random(),
                InstantSource.system());
        return mode == ProxyMode.NFTABLES ? source.withServiceCidrs() : source;
    }

    /** Fails if the source can never work: a missing file, or options that exclude each other. */
    public void check() throws CommandException, SourceException {
        if (manifests != null) {
            ProxyOptions.existing(manifests);
        } else {
            access();
        }
    }

    /** Whether the objects come from an API server. */
    public boolean isApiServer() {
        return manifests == null;
    }

    /** The API server. */
    public ApiServerAccess access() throws SourceException {
        if (kubeconfig != null) {
            return ApiServerAccess.kubeconfig(kubeconfig, Optional.ofNullable(master));
        }
        return master == null
                ? ApiServerAccess.inCluster(System.getenv(), ApiServerAccess.SERVICE_ACCOUNT)
                : ApiServerAccess.master(master);
    }

    private List<String> given() {
        if (kubeconfig != null) {
            return List.of("--kubeconfig");
        }
        if (master != null) {
            return List.of("--master");
        }
        return serviceProxyName.isEmpty() ? List.of() : List.of("--service-proxy-name");
    }
}
