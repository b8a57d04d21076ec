package dev.nodepath.emulator.cluster;

import dev.nodepath.agent.install.ConflistFile;
import java.nio.file.Path;

/** The files of one node; on a real node they are below {@code /etc}, {@code /opt} and {@code /run}. */
record NodeFolder(Path root) {

    /** The agent's socket for calls of the CNI plugin. */
    Path socket() {
        return root.resolve("cni.sock");
    }

    /** The container runtime's folder of networks. */
    Path configurations() {
        return root.resolve("net.d");
    }

    /** The agent's network configuration in it. */
    Path conflist() {
        return configurations().resolve(ConflistFile.NAME);
    }

    /** The runtime's folder of plugins. It stays empty: the emulator's runtime knows the path of its one plugin. */
    Path plugins() {
        return root.resolve("bin");
    }

    /** The addresses in use, a file for each. */
    Path addresses() {
        return root.resolve("ipam").resolve("nodepath");
    }
}
