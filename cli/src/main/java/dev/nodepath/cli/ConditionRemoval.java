package dev.nodepath.cli;

import dev.nodepath.agent.cluster.ConditionPart;
import dev.nodepath.agent.options.CommandException;
import dev.nodepath.agent.options.HostnameOption;
import dev.nodepath.endpoints.source.SourceException;
import dev.nodepath.endpoints.source.kubernetes.ApiServerAccess;
import dev.nodepath.endpoints.source.kubernetes.NodeReport;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/**
 * Removes the condition by which an agent said that its Node's network is ready. It needs an API server: a named one,
 * or the cluster's if this is a pod with a service account. The condition is not set to True: if the next network never
 * set it to False, the node would take no pods.
 */
final class ConditionRemoval {
    private static final Logger LOG = LoggerFactory.getLogger(ConditionRemoval.class);

    @Option(
            names = "--kubeconfig",
            paramLabel = "FILE",
            description = "With --uninstall: remove the Node's condition NetworkUnavailable at the API server"
                    + " of this file's current context (default: in a pod with a service account, at the API"
                    + " server of its cluster).")
    private @Nullable Path kubeconfig;

    @Option(
            names = "--master",
            paramLabel = "URL",
            description = "With --uninstall: the API server at which the Node's condition NetworkUnavailable is"
                    + " removed; overrides the one in the file of --kubeconfig.")
    private @Nullable String master;

    @Mixin
    private final HostnameOption hostname = new HostnameOption();

    /**
     * Removes the condition; does nothing without a cluster. Errors name the request, and the right that is missing.
     */
    void run() throws CommandException, IOException, InterruptedException {
        Optional<ApiServerAccess> access;
        try {
            access = access(System.getenv(), ApiServerAccess.SERVICE_ACCOUNT);
        } catch (SourceException e) {
            throw CommandException.failed(String.valueOf(e.getMessage()));
        }
        if (access.isEmpty()) {
            return;
        }
        String node = hostname.node();
        if (new NodeReport(access.get(), node, InstantSource.system()).networkRemoved(ConditionPart.REASON)) {
            LOG.atInfo()
                    .addKeyValue("node", node)
                    .addKeyValue("condition", "NetworkUnavailable")
                    .log("node.condition_removed");
        }
    }

    /** Logs that the condition still exists, with the reason and a remedy. */
    static void warn(String error) {
        LOG.atWarn()
                .addKeyValue("condition", "NetworkUnavailable")
                .addKeyValue("error", error)
                .addKeyValue(
                        "to_do",
                        "run cleanup --uninstall again with --kubeconfig and a right to patch nodes/status, or leave the"
                                + " condition: it only says that the node's network is ready")
                .log("node.condition_not_removed");
    }

    private Optional<ApiServerAccess> access(Map<String, String> environment, Path account) throws SourceException {
        if (kubeconfig != null) {
            return Optional.of(ApiServerAccess.kubeconfig(kubeconfig, Optional.ofNullable(master)));
        }
        if (master != null) {
            return Optional.of(ApiServerAccess.master(master));
        }
        return Files.exists(account) ? Optional.of(ApiServerAccess.inCluster(environment, account)) : Optional.empty();
    }
}
