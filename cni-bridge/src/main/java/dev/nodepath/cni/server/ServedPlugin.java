package dev.nodepath.cni.server;

import dev.nodepath.cni.Invocation;
import dev.nodepath.cni.result.CallOutcome;
import dev.nodepath.linux.io.Descriptor;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Path;
import java.util.Optional;

/**
 * The same plugin that a JVM of its own runs, on what a client sent. A server in a container sees other files than the node's
 * clients: what depends on them is left to the client, or the same address could be given out by both.
 */
public final class ServedPlugin implements CallHandler {
    /** Where no file is. */
    private static final Path MISSING = Path.of("/proc/self/fd/missing");

    private static final Path ROOT = Path.of("/");

    private final Invocation invocation;
    private final FileIdentity root;
    private final Path shared;

    /**
     * Calls of a plugin.
     *
     * @param root of the files that this process sees
     * @param shared a folder that is the same for all clients of the node
     */
    public ServedPlugin(Invocation invocation, FileIdentity root, Path shared) {
        this.invocation = invocation;
        this.root = root;
        this.shared = shared;
    }

    /** Calls of a plugin for clients that reach this process by a socket, whose folder they share with it. */
    public static ServedPlugin at(Path socket, Invocation invocation) throws IOException {
        Path folder = socket.toAbsolutePath().normalize().getParent();
        return new ServedPlugin(invocation, FileIdentity.of(ROOT), folder == null ? ROOT : folder);
    }

    @Override
    public Optional<CallOutcome> handle(CallRequest request, Optional<Descriptor> namespace) {
        Path same = request.root().equals(root) ? ROOT : shared;
        return invocation.serve(request.variables(), stdin(request), opened(request, namespace), same);
    }

    /** Never the path itself: among the server's files and processes it may mean another namespace. */
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
