package dev.nodepath.emulator.cluster;

import dev.nodepath.emulator.topology.PodSpec;
import dev.nodepath.emulator.traffic.PodServer;
import dev.nodepath.linux.address.IpAddress;
import dev.nodepath.linux.namespace.NetworkNamespace;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** A pod with its network: its sandbox, its addresses, and the built-in server or the command inside. */
final class RunningPod {
    private final PodSpec spec;
    private final PodSandbox sandbox;
    private final NetworkNamespace namespace;
    private final List<IpAddress> addresses;
    private final @Nullable PodServer server;
    private final @Nullable NamespaceProcess process;

    RunningPod(
            PodSpec spec,
            PodSandbox sandbox,
            NetworkNamespace namespace,
            List<IpAddress> addresses,
            Optional<PodServer> server,
            Optional<NamespaceProcess> process) {
        this.spec = spec;
        this.sandbox = sandbox;
        this.namespace = namespace;
        this.addresses = List.copyOf(addresses);
        this.server = server.orElse(null);
        this.process = process.orElse(null);
    }

    PodSpec spec() {
        return spec;
    }

    PodSandbox sandbox() {
        return sandbox;
    }

    NetworkNamespace namespace() {
        return namespace;
    }

    /** The pod's first address. */
    IpAddress address() {
        return addresses.get(0);
    }

    List<IpAddress> addresses() {
        return addresses;
    }

    /** Whether its server or command still runs. */
    boolean isRunning() {
        return process == null || process.isAlive();
    }

    /** The last lines of its command's output. */
    String lastOutput() {
        return process == null ? "its probe fails" : process.lastOutput();
    }

    /** Ends its server or command; its network stays. */
    void stop() {
        if (server != null) {
            server.close();
        }
        if (process != null) {
            process.close();
        }
    }
}
