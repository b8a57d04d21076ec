package dev.nodepath.emulator.kubelet;

import dev.nodepath.apiserver.resource.ObjectKey;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.HexFormat;
import java.util.function.Function;

/**
 * A pod's sandbox on a node, with the runtime's names.
 *
 * @param pod name of the pod
 * @param uid of its Pod
 * @param containerId 64 hex digits, as containerd gives
 * @param namespaceName of the network namespace, {@code cni-} and 32 hex digits
 * @param namespaceFile the file of it
 */
record PodSandbox(ObjectKey pod, String uid, String containerId, String namespaceName, Path namespaceFile) {
    private static final SecureRandom RANDOM = new SecureRandom();

    /** A new sandbox with random names; it does not make the namespace. */
    static PodSandbox create(ObjectKey pod, String uid, Function<String, Path> namespaceFiles) {
        String namespaceName = "cni-" + hex(16);
        return new PodSandbox(pod, uid, hex(32), namespaceName, namespaceFiles.apply(namespaceName));
    }

    private static String hex(int bytes) {
        byte[] value = new byte[bytes];
        RANDOM.nextBytes(value);
        return HexFormat.of().formatHex(value);
    }
}
