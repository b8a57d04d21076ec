package dev.nodepath.emulator.cluster;

import dev.nodepath.agent.install.ConflistFile;
import java.nio.file.Path;

/** The files of one node, which on a real one would stand below {@code /etc}, {@code /opt} and {@code /run}. */
record NodeFolder(Path root) {

    /** Where the agent takes calls of the CNI plugin. */
    Path socket() {
        return root.resolve("cni.sock");
    }

    /** Where the container runtime looks for networks. */
    Path configurations() {
        return root.resolve("net.d");
    }

    /** The network that the agent tells it of. */
    Path conflist() {
        return configurations().resolve(ConflistFile.NAME);
    }

    /** Where the runtime looks for plugins; the emulator's knows where the one is, and there are no others. */
    Path plugins() {
        return root.resolve("bin");
    }

    /** The addresses in use, a file for each. */
    Path addresses() {
        return root.resolve("ipam").resolve("nodepath");
    }
}
