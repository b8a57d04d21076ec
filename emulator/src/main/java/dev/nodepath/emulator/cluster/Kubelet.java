package dev.nodepath.emulator.cluster;

import dev.nodepath.emulator.topology.PodSpec;
import dev.nodepath.emulator.traffic.PodServer;
import dev.nodepath.linux.LinuxNet;
import dev.nodepath.linux.address.IpAddress;
import dev.nodepath.linux.link.Link;
import dev.nodepath.linux.namespace.NetworkNamespace;
import dev.nodepath.linux.syscall.LinuxNetException;
import io.netty.channel.EventLoopGroup;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.stream.Stream;

/** Runs the pods of one node: makes the network namespace, attaches it with the CNI plugin and starts the pod's server or command. */
final class Kubelet {
    private final LinuxNet net;
    private final NetworkNamespace node;
    private final CniRuntime cni;
    private final NodeFolder files;
    private final ClusterFolder folder;
    private final EventLoopGroup loops;
    private final SecureRandom random = new SecureRandom();

    Kubelet(
            LinuxNet net,
            NetworkNamespace node,
            CniRuntime cni,
            NodeFolder files,
            ClusterFolder folder,
            EventLoopGroup loops) {
        this.net = net;
        this.node = node;
        this.cni = cni;
        this.files = files;
        this.folder = folder;
        this.loops = loops;
    }

    /** Starts a pod; when this returns its sockets listen or its command runs. */
    RunningPod run(PodSpec pod) throws IOException, InterruptedException {
        PodSandbox sandbox = PodSandbox.create(pod.name(), random, net::path);
        NetworkNamespace namespace = net.create(sandbox.namespaceName());
        Fabric.prepareHost(namespace);
        List<IpAddress> addresses = cni.add(sandbox);
        folder.nameNamespace(pod.name().name(), sandbox.namespaceFile());
        Optional<PodServer> server = pod.command().isEmpty() ? Optional.of(serve(pod, namespace)) : Optional.empty();
        Optional<NamespaceProcess> process =
                pod.command().isEmpty() ? Optional.empty() : Optional.of(start(pod, sandbox));
        return new RunningPod(pod, sandbox, namespace, addresses, server, process);
    }

    /** Ends a pod and removes its network. */
    void remove(RunningPod pod) throws IOException, InterruptedException {
        pod.stop();
        cni.delete(pod.sandbox());
        pod.namespace().close();
        net.delete(pod.sandbox().namespaceName());
        folder.forgetNamespace(pod.spec().name().name());
    }

    /** What deleted pods left on this node: host ends of veth pairs and reserved addresses. */
    List<String> leftovers() throws IOException {
        List<String> left = new ArrayList<>();
        node.links().stream()
                .map(Link::name)
                .filter(name -> name.startsWith("veth"))
                .forEach(left::add);
        Path addresses = files.addresses();
        if (Files.isDirectory(addresses)) {
            Predicate<String> isAddress = name -> Character.isDigit(name.charAt(0));
            try (Stream<Path> reserved = Files.list(addresses)) {
                reserved.map(file -> file.getFileName().toString())
                        .filter(isAddress)
                        .forEach(left::add);
            }
        }
        return left;
    }

    private PodServer serve(PodSpec pod, NetworkNamespace namespace) throws LinuxNetException {
        PodServer server = new PodServer(pod.name().name(), namespace, loops);
        Integer http = pod.ports().get(PodSpec.HTTP_PORT);
        if (http != null) {
            server.listenHttp(http);
        }
        Integer bulk = pod.ports().get(PodSpec.BULK_PORT);
        if (bulk != null) {
            server.listenBulk(bulk);
        }
        return server;
    }

    private NamespaceProcess start(PodSpec pod, PodSandbox sandbox) throws IOException {
        String name = pod.name().name();
        return NamespaceProcess.start(
                name, sandbox.namespaceFile(), pod.command(), folder.log("pod-" + name), line -> {});
    }
}
