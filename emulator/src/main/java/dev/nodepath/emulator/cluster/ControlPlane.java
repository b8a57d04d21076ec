package dev.nodepath.emulator.cluster;

import dev.nodepath.apiserver.ClusterApi;
import dev.nodepath.apiserver.access.BearerToken;
import dev.nodepath.apiserver.access.KubeconfigFile;
import dev.nodepath.apiserver.access.ServerCertificate;
import dev.nodepath.apiserver.http.ApiServer;
import dev.nodepath.apiserver.resource.Resources;
import dev.nodepath.apiserver.rules.ClusterSchema;
import dev.nodepath.apiserver.stream.PodStreams;
import dev.nodepath.controllers.ControllerSettings;
import dev.nodepath.controllers.Controllers;
import dev.nodepath.emulator.kubelet.ApiAccess;
import dev.nodepath.emulator.kubelet.BuiltInServers.ImageServer;
import dev.nodepath.emulator.kubelet.ClaimFolders;
import dev.nodepath.endpoints.source.ManifestObject;
import dev.nodepath.linux.address.IpAddress;
import dev.nodepath.linux.namespace.NetworkNamespace;
import io.netty.channel.EventLoopGroup;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import javax.net.ssl.HttpsURLConnection;

/**
 * The cluster's API server and its controllers. The server listens at the client's address, outside the nodes: a node
 * without its uplink cannot reach it.
 */
final class ControlPlane implements AutoCloseable {
    /** The port of a real API server. */
    private static final int PORT = 6443;

    /** A Node without a renewal for this long is lost. */
    private static final Duration LEASE_LIFETIME = Duration.ofSeconds(6);

    private final ClusterApi api;
    private final ApiServer server;
    private final ApiAccess access;
    private final ForwardedSockets forwarded;
    private final ClusterDns dns;
    private final VolumeFolders volumes;
    private final Controllers controllers;

    private ControlPlane(
            ClusterApi api,
            ApiServer server,
            ForwardedSockets forwarded,
            ApiAccess access,
            ClaimFolders folders,
            String certificate) {
        this.volumes = new VolumeFolders(api, folders);
        this.api = api;
        this.forwarded = forwarded;
        this.dns = new ClusterDns(api);
        this.server = server;
        this.access = access;
        this.controllers = Controllers.start(api, InstantSource.system(), settings(certificate));
    }

    /**
     * Starts both, with the cluster's Nodes and the objects of every cluster.
     *
     * @param host the namespace that the server listens in
     * @param address an address of that namespace that every node reaches
     * @param folder gets the kubeconfig
     * @param streams logs and commands of the Pods
     */
    static ControlPlane start(
            Topology topology, NetworkNamespace host, IpAddress address, ClusterFolder folder, PodStreams streams)
            throws IOException {
        ClusterApi api = InitialState.create(topology, address.toString(), PORT);
        InetAddress inet = address.toInetAddress();
        ServerCertificate certificate = ServerCertificate.create(
                List.of(
                        inet,
                        InetAddress.getLoopbackAddress(),
                        IpAddress.parse(InitialState.API_SERVICE).toInetAddress()),
                InstantSource.system().instant());
        BearerToken token = BearerToken.random();
        ApiServer server = new ApiServer(api, new ClusterSchema(), streams, certificate, token);
        host.call(() -> server.listen(new InetSocketAddress(inet, PORT)));
        String url = "https://" + address + ":" + PORT;
        ApiAccess access = ApiAccess.trusting(certificate.certificate(), url, token.value());
        // Each connection of the JDK asks for the default first, which would read all authorities of the Java runtime.
        HttpsURLConnection.setDefaultSSLSocketFactory(access.tls().getSocketFactory());
        Files.writeString(
                folder.kubeconfig(), new KubeconfigFile(url, certificate.pem(), token.value(), "nodepath").yaml());
        return new ControlPlane(
                api,
                server,
                ForwardedSockets.receive(folder.root().resolve(ForwardedSockets.API), server::listen),
                access,
                ClaimFolders.of(folder.root()),
                certificate.pem());
    }

    /** Kubernetes' times, but a Node's Lease is renewed ten times as often here. */
    private static ControllerSettings settings(String certificate) {
        ControllerSettings upstream = ControllerSettings.upstream(certificate);
        return new ControllerSettings(
                LEASE_LIFETIME,
                upstream.evictAfter(),
                upstream.lostAfter(),
                upstream.eventLifetime(),
                upstream.rootCertificate());
    }

    /** The objects. */
    ClusterApi api() {
        return api;
    }

    /** How nodes reach the server. */
    ApiAccess access() {
        return access;
    }

    /** The servers of the cluster itself that run in Pods, by image. */
    Map<String, ImageServer> servers(EventLoopGroup loops) {
        return Map.of(ClusterDns.IMAGE, pod -> dns.serve(pod, loops));
    }

    /** Creates objects in their order. They were checked before, so a refusal is an error. */
    void apply(List<ManifestObject> objects) throws IOException {
        List<String> problems = Workload.create(api, objects);
        if (!problems.isEmpty()) {
            throw new IOException(String.join("; ", problems));
        }
    }

    /** Pods can be wired on every node. */
    void markNodesReady() {
        api.list(Resources.NODES, "").objects().forEach(node -> NodeConditions.markReady(api, node));
    }

    /** The errors that keep the controllers from their work. */
    List<String> troubles() {
        return controllers.troubles();
    }

    /** From now on the controllers make no Pods and no slices. */
    void stopControllers() {
        controllers.close();
    }

    @Override
    public void close() {
        controllers.close();
        dns.close();
        volumes.close();
        forwarded.close();
        server.close();
    }
}
