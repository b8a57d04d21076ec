package dev.nodepath.cni.server;

import dev.nodepath.cni.AddressGate;
import dev.nodepath.cni.AttachmentLocks;
import dev.nodepath.cni.Invocation;
import dev.nodepath.cni.protocol.CallOutcome;
import dev.nodepath.linux.KernelLinuxNet;
import dev.nodepath.linux.io.Descriptor;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * Calls of the plugin in a network namespace of its own, so that the first real call finds its code loaded. The
 * namespace has no name and ends with the process. The addresses are in a folder beside the socket; the leftovers of a
 * killed server are removed first.
 */
final class Rehearsal {
    /** The first loads the classes. Later ones gain less and less, and each costs the start of a node. */
    private static final int ROUNDS = 3;

    private static final String CONFIG = """
            {"cniVersion":"1.0.0","name":"rehearsal","type":"bridge","bridge":"rehearsal","isDefaultGateway":true,
             "ipMasq":true,"ipam":{"type":"host-local","dataDir":"%s","ranges":[[{"subnet":"192.0.2.0/24"}]]}}""";

    private static final Path ROOT = Path.of("/");

    private final KernelLinuxNet net;
    private final AttachmentLocks locks;
    private final Path folder;

    /**
     * A rehearsal of a server.
     *
     * @param socket the server's own, so that no other server uses the folder
     */
    Rehearsal(KernelLinuxNet net, AttachmentLocks locks, Path socket) {
        this.net = net;
        this.locks = locks;
        this.folder = socket.toAbsolutePath().resolveSibling(socket.getFileName() + ".rehearsal");
    }

    /**
     * Makes the calls.
     *
     * @return the outcome of the last call that was made: the first that failed, or the last of all
     */
    CallOutcome run() throws IOException {
        clear();
        try {
            // Never closed: while the kernel removes a namespace, it holds locks that a call needs.
            Descriptor namespace = net.createUnnamed();
            KernelLinuxNet inside = net.within(namespace.path());
            ServedPlugin plugin = new ServedPlugin(
                    Invocation.onThisNode(inside, new BatchedRemoval(inside), AddressGate.OPEN),
                    FileIdentity.of(ROOT),
                    folder);
            CallOutcome outcome = new CallOutcome(0, "", "");
            for (int round = 0; round < ROUNDS && outcome.exitCode() == 0; round++) {
                for (String command : List.of("ADD", "DEL")) {
                    outcome = outcome.exitCode() == 0 ? call(plugin, command, namespace) : outcome;
                }
            }
            return outcome;
        } finally {
            clear();
        }
    }

    private CallOutcome call(ServedPlugin plugin, String command, Descriptor namespace) throws IOException {
        byte[] config = CONFIG.formatted(folder).getBytes(StandardCharsets.UTF_8);
        Map<String, String> variables = Map.of(
                "CNI_COMMAND", command,
                "CNI_CONTAINERID", "rehearsal",
                "CNI_NETNS", namespace.path().toString(),
                "CNI_IFNAME", "eth0",
                "CNI_PATH", "/");
        CallRequest request = new CallRequest(variables, ByteBuffer.wrap(config), FileIdentity.of(ROOT));
        return locks.alone(
                variables, () -> plugin.handle(request, Optional.of(namespace)).orElseThrow());
    }

    private void clear() throws IOException {
        if (!Files.exists(folder)) {
            return;
        }
        try (Stream<Path> files = Files.walk(folder)) {
            for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
                Files.deleteIfExists(file);
            }
        }
    }
}
