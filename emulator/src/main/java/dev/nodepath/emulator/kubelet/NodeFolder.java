package dev.nodepath.emulator.kubelet;

import dev.nodepath.agent.install.ConflistFile;
import java.nio.file.Path;

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

    /** The addresses in use, a file for each. */
    public Path addresses() {
        return root.resolve("ipam").resolve("nodepath");
    }
}
