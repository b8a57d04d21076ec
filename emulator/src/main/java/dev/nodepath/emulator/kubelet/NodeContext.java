package dev.nodepath.emulator.kubelet;

import dev.nodepath.apiserver.resource.ObjectKey;
import dev.nodepath.apiserver.resource.Resources;
import java.util.Optional;
import java.util.concurrent.Executor;
import java.util.concurrent.ScheduledExecutorService;
import java.util.function.BooleanSupplier;

/**
 * The parts that all Pods of a node share.
 *
 * @param cni attaches its Pods
 * @param events writes Events
 * @param environment makes containers' variables
 * @param timers threads in the node's network namespace, for probes and restarts
 * @param background threads for work that takes long
 * @param connected whether the node reaches the API server
 */
record NodeContext(
        KubeletNode node,
        ClusterContext cluster,
        CniPlugin cni,
        PodEvents events,
        PodEnvironment environment,
        ScheduledExecutorService timers,
        Executor background,
        BooleanSupplier connected) {
    private static final ObjectKey DNS = new ObjectKey("kube-system", "kube-dns");

    boolean isConnected() {
        return connected.getAsBoolean();
    }

    /** The address of the cluster's DNS Service. */
    Optional<String> nameserver() {
        return cluster.api()
                .find(Resources.SERVICES, DNS)
                .map(service -> service.path("spec").path("clusterIP").asText(""))
                .filter(address -> !address.isEmpty());
    }
}
