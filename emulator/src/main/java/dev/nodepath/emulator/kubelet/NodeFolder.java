package dev.nodepath.emulator.kubelet;

import dev.nodepath.agent.install.ConflistFile;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.stream.Stream;

/** The files of one node; on a real node they are below {@code /etc}, {@code /opt} and {@code /run}. */
public record NodeFolder(Path root) {

    /** The agent's socket for calls of the CNI plugin. */
    public Path socket() {
        return root.resolve("cni.sock");
    }

    /** The container runtime's folder of networks. */
    public Path configurations() {
        return root.resolve("net.d");
    }

    /** The agent's network configuration in it. */
    public Path conflist() {
        return configurations().resolve(ConflistFile.NAME);
    }

    /** The runtime's folder of plugins. It stays empty: the emulator's runtime knows the path of its one plugin. */
    public Path plugins() {
        return root.resolve("bin");
    }

    /** Deletes the files that are below {@code /run} on a real node: its agent's socket and the addresses in use. */
    public void forgetRun() throws IOException {
        Files.deleteIfExists(socket());
        Path addresses = root.resolve("ipam");
        if (Files.isDirectory(addresses)) {
            try (Stream<Path> tree = Files.walk(addresses)) {
                for (Path each : tree.sorted(Comparator.reverseOrder()).toList()) {
                    Files.deleteIfExists(each);
                }
            }
        }
    }

    /** The addresses in use, a file for each. */
    public Path addresses() {
        return root.resolve("ipam").resolve("nodepath");
    }
}
