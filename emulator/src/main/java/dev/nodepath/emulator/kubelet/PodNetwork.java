package dev.nodepath.emulator.kubelet;

import dev.nodepath.apiserver.resource.ObjectKey;
import dev.nodepath.linux.LinuxNet;
import dev.nodepath.linux.address.IpAddress;
import dev.nodepath.linux.namespace.NetworkNamespace;
import java.io.IOException;
import java.net.InetAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The network of one Pod: its sandbox, network namespace and addresses. With {@code hostNetwork} it is the node's. */
final class PodNetwork {
    private static final Logger LOG = LoggerFactory.getLogger(PodNetwork.class);
    private static final int DELETE_ATTEMPTS = 5;
    private static final Duration DELETE_RETRY = Duration.ofSeconds(1);

    private final ObjectKey pod;
    private final String uid;
    private final KubeletNode node;
    private final LinuxNet net;
    private final CniPlugin cni;
    private final boolean onHost;
    private final List<ContainerSpec.Port> hostPorts;
    private volatile List<String> addresses = List.of();
    private volatile @Nullable PodSandbox sandbox;
    private volatile @Nullable NetworkNamespace namespace;

    /**
     * A network that is yet to be made.
     *
     * @param onHost whether the Pod uses its node's network
     * @param hostPorts its ports that the node forwards to it
     */
    PodNetwork(
            ObjectKey pod,
            String uid,
            KubeletNode node,
            LinuxNet net,
            CniPlugin cni,
            boolean onHost,
            List<ContainerSpec.Port> hostPorts) {
        this.pod = pod;
        this.uid = uid;
        this.node = node;
        this.net = net;
        this.cni = cni;
        this.onHost = onHost;
        this.hostPorts = List.copyOf(hostPorts);
    }

    /** Makes it. After a failure no part of it is left on this machine, and the call may be repeated. */
    void connect() throws IOException, InterruptedException {
        if (onHost) {
            addresses = List.of(node.address());
            return;
        }
        PodSandbox made = PodSandbox.create(pod, uid, net::path);
        sandbox = made;
        try {
            NetworkNamespace created = net.create(made.namespaceName());
            namespace = created;
            HostNamespace.prepare(created);
            addresses =
                    cni.add(made, hostPorts).stream().map(IpAddress::toString).toList();
        } catch (IOException e) {
            detachQuietly();
            throw e;
        }
    }

    /**
     * Detaches the Pod, again after a failure, and removes its namespace in any case.
     *
     * @throws IOException if the plugin has failed each time: its own records, such as the address, are left
     */
    void disconnect() throws IOException, InterruptedException {
        detach(DELETE_ATTEMPTS);
    }

    /** Removes its namespace. The plugin is not called: its node has lost its power. */
    void lose() throws IOException {
        PodSandbox made = sandbox;
        addresses = List.of();
        if (made != null) {
            removeNamespace(made);
        }
    }

    /** The addresses, one of each family; empty before the Pod has any. */
    List<String> addresses() {
        return addresses;
    }

    /** The first address; a Pod with a running container has one. */
    InetAddress address() {
        return IpAddress.parse(addresses.get(0)).toInetAddress();
    }

    /** The Pod's name. */
    ObjectKey pod() {
        return pod;
    }

    /** The runtime's name of the sandbox; empty without one. */
    String sandboxId() {
        PodSandbox made = sandbox;
        return made == null ? "" : made.containerId();
    }

    /** The namespace, from the time it has addresses until it is removed. Do not close it. */
    Optional<NetworkNamespace> namespace() {
        if (addresses.isEmpty()) {
            return Optional.empty();
        }
        return onHost ? Optional.of(node.namespace()) : Optional.ofNullable(namespace);
    }

    Path namespaceFile() {
        PodSandbox made = sandbox;
        return made == null ? net.path(node.name()) : made.namespaceFile();
    }

    private void detachQuietly() throws InterruptedException {
        try {
            detach(1);
        } catch (IOException e) {
            LOG.atWarn()
                    .addKeyValue("pod", pod)
                    .addKeyValue("problem", e.getMessage())
                    .log("pod.network_left");
        }
    }

    private void detach(int attempts) throws IOException, InterruptedException {
        PodSandbox made = sandbox;
        if (made == null) {
            return;
        }
        try {
            delete(made, attempts);
        } finally {
            removeNamespace(made);
        }
    }

    private void delete(PodSandbox made, int attempts) throws IOException, InterruptedException {
        for (int attempt = 1; ; attempt++) {
            try {
                cni.delete(made);
                return;
            } catch (IOException e) {
                if (attempt == attempts) {
                    throw e;
                }
                LOG.atWarn()
                        .addKeyValue("pod", pod)
                        .addKeyValue("attempt", attempt)
                        .addKeyValue("problem", e.getMessage())
                        .log("pod.delete_again");
            }
            Thread.sleep(DELETE_RETRY.toMillis());
        }
    }

    private void removeNamespace(PodSandbox made) throws IOException {
        NetworkNamespace inside = namespace;
        namespace = null;
        sandbox = null;
        if (inside != null) {
            inside.close();
            net.delete(made.namespaceName());
        }
    }
}
