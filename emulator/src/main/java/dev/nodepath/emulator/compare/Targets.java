package dev.nodepath.emulator.compare;

import dev.nodepath.emulator.cluster.Cluster;
import dev.nodepath.emulator.cluster.PodView;
import dev.nodepath.emulator.cluster.ServiceView;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.Objects;

/** The address at which a caller reaches a Service in a mode. */
final class Targets {
    private final Cluster cluster;

    Targets(Cluster cluster) {
        this.cluster = cluster;
    }

    /** The addresses of a Service's port: the pods, the cluster IP, or from outside the node ports. */
    List<InetSocketAddress> of(Mode mode, Caller caller, String serviceName, String portName) {
        ServiceView service = cluster.service(serviceName);
        ServiceView.Port port = service.port(portName);
        if (mode == Mode.DIRECT) {
            return backends(service).stream()
                    .map(pod -> new InetSocketAddress(
                            pod.address().toInetAddress(),
                            Objects.requireNonNull(pod.ports().get(port.targetPort()))))
                    .toList();
        }
        return List.of(
                caller.kind() == Caller.Kind.OUTSIDE
                        ? new InetSocketAddress(
                                cluster.nodeAddress(caller.node()).toInetAddress(), port.nodePort())
                        : new InetSocketAddress(service.clusterIp().toInetAddress(), port.port()));
    }

    /** The pods that a Service selects, by name. */
    List<PodView> backends(String serviceName) {
        return backends(cluster.service(serviceName));
    }

    private List<PodView> backends(ServiceView service) {
        return cluster.pods().stream().filter(service::selects).toList();
    }
}
