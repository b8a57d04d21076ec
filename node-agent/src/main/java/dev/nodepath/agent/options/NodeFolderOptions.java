package dev.nodepath.agent.options;

import dev.nodepath.agent.install.HostFolders;
import dev.nodepath.cni.server.CniServer;
import java.nio.file.Path;
import java.util.List;
import picocli.CommandLine.Option;

/** The options of an agent's paths on the node. */
public final class NodeFolderOptions {
    @Option(
            names = "--host-root",
            paramLabel = "DIR",
            defaultValue = "/",
            description = "Where the node's file system is mounted. --install-dir, --cni-bin-dir and --cni-conf-dir"
                    + " are paths below it (default: ${DEFAULT-VALUE}).")
    private Path hostRoot = Path.of("/");

    @Option(
            names = "--install-dir",
            paramLabel = "DIR",
            defaultValue = "/opt/nodepath",
            description = "Folder of the CNI plugin's files on the node (default: ${DEFAULT-VALUE}).")
    private Path installDir = Path.of("/opt/nodepath");

    @Option(
            names = "--cni-bin-dir",
            paramLabel = "DIR",
            defaultValue = "/opt/cni/bin",
            description = "Folder in which the container runtime looks for CNI plugins (default: ${DEFAULT-VALUE}).")
    private Path binDir = Path.of("/opt/cni/bin");

    @Option(
            names = "--cni-conf-dir",
            paramLabel = "DIR",
            defaultValue = "/etc/cni/net.d",
            description =
                    "Folder in which the container runtime looks for network configurations (default: ${DEFAULT-VALUE}).")
    private Path confDir = Path.of("/etc/cni/net.d");

    @Option(
            names = "--cni-socket",
            paramLabel = "PATH",
            description = "Socket of the CNI calls, in the folder of the agent's lock and of the addresses in"
                    + " use (default: /run/nodepath/cni.sock). Clients take it from NODEPATH_CNI_SOCKET.")
    private Path cniSocket = CniServer.SOCKET;

    /** The folders of the node. */
    public HostFolders folders() throws CommandException {
        try {
            return new HostFolders(hostRoot, installDir, binDir, confDir);
        } catch (IllegalArgumentException e) {
            throw CommandException.wrongUsage(List.of("folders of the node: " + e.getMessage()));
        }
    }

    /** The socket of CNI calls. */
    public Path cniSocket() {
        return cniSocket.toAbsolutePath();
    }
}
