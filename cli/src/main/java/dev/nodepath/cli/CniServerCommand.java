package dev.nodepath.cli;

import dev.nodepath.agent.daemon.CniLog;
import dev.nodepath.cni.PolicyTableGate;
import dev.nodepath.cni.server.CniServer;
import dev.nodepath.linux.KernelLinuxNet;
import java.io.IOException;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code nodepath cni-server}: serves the CNI plugin's calls in its network namespace until a signal. */
@Command(
        name = "cni-server",
        description = {
            "Serves the calls of the CNI plugin nodepath-bridge.",
            "It works in the network namespace it is started in. A call then starts no JVM. Needs CAP_NET_ADMIN and"
                    + " CAP_SYS_ADMIN."
        },
        footer = {"nodepath cni-server", "nodepath cni-server --socket=/run/nodepath/cni.sock"},
        exitCodeList = {"3:Out of memory.", "130, 143:Ended by Ctrl-C, or by SIGTERM."},
        mixinStandardHelpOptions = true)
final class CniServerCommand implements Callable<Integer> {
    private static final Logger LOG = LoggerFactory.getLogger(CniServerCommand.class);

    @Option(
            names = "--socket",
            paramLabel = "PATH",
            description = "Socket that clients connect to (default: /run/nodepath/cni.sock). Clients take it from"
                    + " NODEPATH_CNI_SOCKET.")
    private Path socket = CniServer.SOCKET;

    @Override
    public Integer call() throws IOException, InterruptedException {
        KernelLinuxNet net = new KernelLinuxNet();
        CniServer server = CniServer.open(net, socket, new PolicyTableGate(net), new CniLog());
        Runtime.getRuntime().addShutdownHook(new Thread(() -> end(server), "stop"));
        LOG.atInfo().addKeyValue("socket", socket).log("cni.started");
        server.run();
        return 0;
    }

    /** After a signal, keeps the process alive until the current calls have ended. */
    private static void end(CniServer server) {
        try {
            server.stop();
            LOG.atInfo().log("cni.stopped");
        } catch (IOException e) {
            LOG.atWarn().addKeyValue("error", e.getMessage()).log("cni.stop_failed");
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
