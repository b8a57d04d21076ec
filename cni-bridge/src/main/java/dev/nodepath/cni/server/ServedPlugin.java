package dev.nodepath.cni.server;

import dev.nodepath.cni.Invocation;
import dev.nodepath.cni.Outcome;
import dev.nodepath.linux.Descriptor;
import java.io.ByteArrayInputStream;
import java.io.InputStream;
import java.nio.file.Path;
import java.util.Optional;

/** The same plugin that a JVM of its own runs, on what a client sent. */
public final class ServedPlugin implements CallHandler {
    /** Where no file is. */
    private static final Path MISSING = Path.of("/proc/self/fd/missing");

    private final Invocation invocation;

    /** Calls of a plugin. */
    public ServedPlugin(Invocation invocation) {
        this.invocation = invocation;
    }

    @Override
    public Outcome handle(CallRequest request, Optional<Descriptor> namespace) {
        return invocation.run(request.variables(), stdin(request), opened(request, namespace));
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
