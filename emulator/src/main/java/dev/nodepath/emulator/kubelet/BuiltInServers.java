package dev.nodepath.emulator.kubelet;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.nodepath.dns.ConnectionLimit;
import dev.nodepath.emulator.traffic.ContainerCommands;
import dev.nodepath.emulator.traffic.PodServer;
import dev.nodepath.linux.namespace.NetworkNamespace;
import io.netty.channel.EventLoopGroup;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.IntConsumer;
import java.util.stream.Stream;

/**
 * Starts the server of a container without a command: one of the cluster's own servers by the image, else the one of
 * {@link Agnhost}, else a server that tells its Pod's name. The latter listens on each port of the container, and on
 * those of its probes and hooks. In a main container without a declared port it also listens on 8080 and on the target
 * ports of Services. It takes no port of other containers, and guesses no port beside a program.
 */
public final class BuiltInServers {
    /** A port of this name takes bulk data and counts it. */
    public static final String BULK_PORT = "bulk";

    private static final int DEFAULT_PORT = 8080;

    /** The time limit of a command that a client sends to a server. */
    private static final Duration SHELL_MAX = Duration.ofMinutes(10);

    private final EventLoopGroup loops;
    private final ConnectionLimit connections = PodServer.limitOfAll();
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
     * @param variables of the container
     * @param servicePorts the target ports of Services at this Pod
     * @param enter the script that enters the container
     * @param readinessChanged is run when a request has switched its readiness
     * @throws StartException if a port is taken, or agnhost's flags are wrong
     */
    Container start(
            ObjectNode pod,
            ContainerSpec container,
            Map<String, String> variables,
            Set<Integer> servicePorts,
            NetworkNamespace namespace,
            Path enter,
            ContainerLog log,
            Runnable readinessChanged)
            throws StartException, IOException {
        ImageServer own = byImage.get(container.image());
        if (own != null) {
            log.write("serving as " + container.image());
            long started = System.nanoTime();
            return new BuiltInServer(own.start(namespace), ports -> {}, () -> started, BuiltInServer.QUIET);
        }
        Optional<Agnhost> agnhost =
                Agnhost.of(container.json()).filter(Agnhost::serves).map(told -> told.expanded(variables));
        PodServer server = new PodServer(
                agnhost.isPresent()
                        ? PodFiles.hostname(pod)
                        : pod.path("metadata").path("name").asText(),
                readinessPath(container),
                namespace,
                loops,
                connections,
                readinessChanged);
        CompletableFuture<Integer> exit = new CompletableFuture<>();
        BuiltInServer.MorePorts morePorts = agnhost.isEmpty() && listensAnywhere(pod, container)
                ? ports -> listenIfFree(server, undeclared(pod, ports), log)
                : ports -> {};
        boolean done = false;
        try {
            if (agnhost.isPresent()) {
                listen(server, agnhost.get(), enter, exit::complete, log);
            } else {
                listen(server, pod, container, log);
            }
            morePorts.listen(Set.of(DEFAULT_PORT));
            morePorts.listen(servicePorts);
            done = true;
        } finally {
            if (!done) {
                server.close();
            }
        }
        BuiltInServer started = new BuiltInServer(server, morePorts, server::lastConnection, BuiltInServer.QUIET);
        var unused = exit.thenAcceptAsync(started::exit);
        return started;
    }

    private static void listen(PodServer server, Agnhost agnhost, Path enter, IntConsumer exit, ContainerLog log)
            throws StartException, IOException {
        agnhost.requireServed();
        boolean hostname = agnhost.servesHostname();
        int http = agnhost.httpPort();
        int tcp = agnhost.tcpPort();
        int udp = agnhost.udpPort();
        if (http > 0) {
            ContainerCommands container = (command, input) -> run(enter, command, input);
            require(server.listenAgnhost(http, hostname, container, exit), "args: agnhost", http, log);
        }
        if (tcp > 0) {
            require(server.listenHostname(tcp), "args: agnhost", tcp, log);
        }
        if (udp > 0) {
            require(server.listenDatagrams(udp, hostname), "args: agnhost", udp, log);
        }
    }

    private static ContainerCommands.Ended run(Path enter, List<String> command, byte[] input)
            throws IOException, InterruptedException {
        ShortCommand ended = ShortCommand.inside(enter, command, input, SHELL_MAX);
        return new ContainerCommands.Ended(ended.exitCode(), ended.output());
    }

    private static void require(boolean listens, String field, int port, ContainerLog log)
            throws StartException, IOException {
        if (!listens) {
            throw StartException.ofProgram(
                    field + ": " + port + " (expected: a port on which no other container of the Pod listens)");
        }
        log.write("listening on port " + port);
    }

    /** A probe or a hook, in a form that the container can answer: the built-in server knows no TLS and no gRPC. */
    static ProbeSpec.Action understood(ContainerSpec container, ProbeSpec.Action action) {
        if (container.isBuiltIn() && action instanceof ProbeSpec.HttpGet http) {
            return new ProbeSpec.HttpGet("http", http.host(), http.path(), http.port(), http.headers());
        }
        if (container.isBuiltIn() && action instanceof ProbeSpec.Grpc grpc) {
            return new ProbeSpec.TcpConnect("", grpc.port());
        }
        return action;
    }

    private static void listen(PodServer server, ObjectNode pod, ContainerSpec container, ContainerLog log)
            throws StartException, IOException {
        for (ContainerSpec.Port port : container.ports()) {
            Optional<ContainerSpec> other = listener(pod, container, port);
            if (other.isPresent()) {
                log.write("port " + port.number() + " is that of container "
                        + other.get().name());
            } else if (port.protocol().equals("UDP")) {
                require(server.listenDatagrams(port.number(), true), "ports: containerPort", port.number(), log);
            } else if (port.protocol().equals("TCP")) {
                boolean bulk = port.name().equals(BULK_PORT);
                boolean listens = bulk ? server.listenBulk(port.number()) : server.listenHttp(port.number());
                require(listens, "ports: containerPort", port.number(), log);
            }
        }
        listenIfFree(server, undeclared(pod, asked(container)), log);
    }

    /** An earlier container of the Pod whose built-in server has the same port. */
    private static Optional<ContainerSpec> listener(ObjectNode pod, ContainerSpec container, ContainerSpec.Port port) {
        return running(pod)
                .takeWhile(other -> !other.name().equals(container.name()))
                .filter(other -> other.isBuiltIn()
                        && other.ports().stream()
                                .anyMatch(its -> its.number() == port.number()
                                        && its.protocol().equals(port.protocol())))
                .findFirst();
    }

    /** Not beside a program: it may need any port, and would fail on one that this server has taken. */
    private static boolean listensAnywhere(ObjectNode pod, ContainerSpec container) {
        return container.role() == ContainerSpec.Role.MAIN
                && tcpPorts(container).isEmpty()
                && running(pod).allMatch(ContainerSpec::isBuiltIn);
    }

    /** The ports that no container of a Pod declares. */
    private static Set<Integer> undeclared(ObjectNode pod, Set<Integer> ports) {
        Set<Integer> undeclared = new LinkedHashSet<>(ports);
        running(pod).forEach(container -> undeclared.removeAll(tcpPorts(container)));
        return undeclared;
    }

    /** The containers of a Pod at work at the same time, in the order of their starts. */
    private static Stream<ContainerSpec> running(ObjectNode pod) {
        return Stream.concat(ContainerSpec.initContainers(pod).stream(), ContainerSpec.containers(pod).stream())
                .filter(container -> container.role() != ContainerSpec.Role.INIT);
    }

    private static void listenIfFree(PodServer server, Set<Integer> ports, ContainerLog log) throws IOException {
        for (int port : ports) {
            if (!server.listensOn(port) && server.listenHttp(port)) {
                log.write("listening on port " + port);
            }
        }
    }

    private static List<Integer> tcpPorts(ContainerSpec container) {
        return container.ports().stream()
                .filter(port -> port.protocol().equals("TCP"))
                .map(ContainerSpec.Port::number)
                .toList();
    }

    /** The ports that the container's own probes and hooks ask. */
    private static Set<Integer> asked(ContainerSpec container) {
        JsonNode hooks = container.json().path("lifecycle");
        Map<String, Integer> named = ContainerSpec.portsByName(container.json());
        Set<Integer> ports = new LinkedHashSet<>();
        Stream.concat(
                        Stream.of(container.startup(), container.readiness(), container.liveness())
                                .flatMap(Optional::stream)
                                .map(ProbeSpec::action),
                        Stream.of("postStart", "preStop")
                                .flatMap(hook -> ProbeSpec.action(hooks.path(hook), named).stream()))
                .forEach(action -> {
                    if (action instanceof ProbeSpec.HttpGet http) {
                        ports.add(http.port());
                    } else if (action instanceof ProbeSpec.TcpConnect tcp) {
                        ports.add(tcp.port());
                    } else if (action instanceof ProbeSpec.Grpc grpc) {
                        ports.add(grpc.port());
                    }
                });
        return ports;
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
