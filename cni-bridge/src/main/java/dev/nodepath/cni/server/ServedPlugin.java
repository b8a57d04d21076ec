package dev.nodepath.cni.server;

import dev.nodepath.cni.Invocation;
import dev.nodepath.cni.protocol.CallOutcome;
import dev.nodepath.linux.io.Descriptor;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Path;
import java.util.Optional;

/**
 * Runs the plugin on a client's request. A server in a container sees other files than the node's clients. So a call
 * that needs such files is left to the client. Otherwise both could allocate the same address.
 */
final class ServedPlugin implements CallHandler {
    /** A path without a file. */
    private static final Path MISSING = Path.of("/proc/self/fd/missing");

    private static final Path ROOT = Path.of("/");

    private final Invocation invocation;
    private final FileIdentity root;
    private final Path shared;

    /**
     * Calls of a plugin.
     *
     * @param root the root directory of this process
     * @param shared a folder that all clients of the node share
     */
    ServedPlugin(Invocation invocation, FileIdentity root, Path shared) {
        this.invocation = invocation;
        this.root = root;
        this.shared = shared;
    }

    /** Calls of a plugin for clients of a socket. They share the socket's folder. */
    static ServedPlugin at(Path socket, Invocation invocation) throws IOException {
        Path folder = socket.toAbsolutePath().normalize().getParent();
        return new ServedPlugin(invocation, FileIdentity.of(ROOT), folder == null ? ROOT : folder);
    }

    @Override
    public Optional<CallOutcome> handle(CallRequest request, Optional<Descriptor> namespace) {
        Path same = request.root().equals(root) ? ROOT : shared;
        return invocation.serve(request.variables(), stdin(request), opened(request, namespace), same);
    }

    /** Never uses the client's path: in the server it may mean another namespace. */
    private static Optional<Path> opened(CallRequest request, Optional<Descriptor> namespace) {
        if (namespace.isPresent()) {
            return Optional.of(namespace.get().path());
        }
        return request.variables().getOrDefault("CNI_NETNS", "").isEmpty() ? Optional.empty() : Optional.of(MISSING);
    }

    private static InputStream stdin(CallRequest request) {
        byte[] bytes = new byte[request.stdin().remaining()];
        request.stdin().duplicate().get(bytes);
        return new ByteArrayInputStream(bytes);
    }
}
