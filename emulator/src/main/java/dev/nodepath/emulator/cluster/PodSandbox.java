package dev.nodepath.emulator.cluster;

import dev.nodepath.endpoints.NamespacedName;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.HexFormat;
import java.util.function.Function;

/**
 * A pod's sandbox on a node, with the runtime's names.
 *
 * @param pod name of the pod
 * @param containerId 64 hex digits, as containerd gives
 * @param namespaceName of the network namespace, {@code cni-} and 32 hex digits
 * @param namespaceFile the file of it
 */
record PodSandbox(NamespacedName pod, String containerId, String namespaceName, Path namespaceFile) {

    /** A new sandbox with random names; it does not make the namespace. */
    static PodSandbox create(NamespacedName pod, SecureRandom random, Function<String, Path> namespaceFiles) {
        String namespaceName = "cni-" + hex(random, 16);
        return new PodSandbox(pod, hex(random, 32), namespaceName, namespaceFiles.apply(namespaceName));
    }

    private static String hex(SecureRandom random, int bytes) {
        byte[] value = new byte[bytes];
        random.nextBytes(value);
        return HexFormat.of().formatHex(value);
    }
}
