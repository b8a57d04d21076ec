package dev.nodepath.emulator.kubelet;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.nodepath.emulator.traffic.PodServer;
import dev.nodepath.linux.namespace.NetworkNamespace;
import dev.nodepath.linux.syscall.LinuxNetException;
import io.netty.channel.EventLoopGroup;
import java.io.IOException;
import java.util.List;
import java.util.Map;

/**
 * Starts what runs in a container without a command: by its image one of the cluster's own servers, else the server
 * that says who it is, on each TCP port of the container, or on 8080.
 */
public final class BuiltInServers {
    /** A port of this name takes bulk data and counts it. */
    public static final String BULK_PORT = "bulk";

    private static final int DEFAULT_PORT = 8080;

    private final EventLoopGroup loops;
    private final Map<String, ImageServer> byImage;

    /** A server of the cluster itself, such as its DNS. */
    public interface ImageServer {
        /** Starts it with its sockets in a Pod's namespace. */
        AutoCloseable start(NetworkNamespace namespace) throws IOException;
    }

    /**
     * The servers of a cluster.
     *
     * @param loops epoll event loops of all connections
     * @param byImage the cluster's own servers, by the image that names each
     */
    public BuiltInServers(EventLoopGroup loops, Map<String, ImageServer> byImage) {
        this.loops = loops;
        this.byImage = Map.copyOf(byImage);
    }

    /**
     * Starts a server with its sockets in a Pod's namespace.
     *
     * @param readinessChanged is run when a request has switched its readiness
     * @throws IOException if a port is taken
     */
    Container start(
            ObjectNode pod,
            ContainerSpec container,
            NetworkNamespace namespace,
            ContainerLog log,
            Runnable readinessChanged)
            throws IOException {
        ImageServer own = byImage.get(container.image());
        if (own != null) {
            log.write("serving as " + container.image());
            long started = System.nanoTime();
            return new BuiltInServer(own.start(namespace), () -> started, BuiltInServer.QUIET);
        }
        PodServer server = new PodServer(
                pod.path("metadata").path("name").asText(),
                readinessPath(container),
                namespace,
                loops,
                readinessChanged);
        try {
            listen(server, container, log);
        } catch (LinuxNetException e) {
            server.close();
            throw e;
        }
        return new BuiltInServer(server, server::lastConnection, BuiltInServer.QUIET);
    }

    private static void listen(PodServer server, ContainerSpec container, ContainerLog log) throws IOException {
        List<ContainerSpec.Port> ports = container.ports().stream()
                .filter(port -> port.protocol().equals("TCP"))
                .toList();
        if (ports.isEmpty()) {
            ports = List.of(new ContainerSpec.Port("", DEFAULT_PORT, "TCP"));
        }
        for (ContainerSpec.Port port : ports) {
            if (port.name().equals(BULK_PORT)) {
                server.listenBulk(port.number());
            } else {
                server.listenHttp(port.number());
            }
            log.write("listening on port " + port.number());
        }
    }

    private static String readinessPath(ContainerSpec container) {
        return container
                .readiness()
                .map(ProbeSpec::action)
                .filter(ProbeSpec.HttpGet.class::isInstance)
                .map(action -> ((ProbeSpec.HttpGet) action).path())
                .orElse(PodServer.READINESS_PATH);
    }
}
