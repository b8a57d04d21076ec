package dev.nodepath.agent.daemon;

import dev.nodepath.agent.parts.Part;
import dev.nodepath.agent.parts.Running;
import dev.nodepath.cni.AddressGate;
import dev.nodepath.cni.server.CniServer;
import dev.nodepath.cni.server.CniServerListener;
import dev.nodepath.linux.KernelLinuxNet;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Serves the plugin's calls. It depends on no other part: each call has its configuration. */
final class CniPart implements Part {
    private static final Logger LOG = LoggerFactory.getLogger(CniPart.class);
    private static final Duration LOOK = Duration.ofSeconds(5);

    private final KernelLinuxNet net;
    private final Path socket;
    private final AddressGate gate;
    private final CniServerListener listener;

    /**
     * Calls from this socket.
     *
     * @param gate is asked before a container gets its addresses
     */
    CniPart(KernelLinuxNet net, Path socket, AddressGate gate, CniServerListener listener) {
        this.net = net;
        this.socket = socket;
        this.gate = gate;
        this.listener = listener;
    }

    @Override
    public String name() {
        return "cni";
    }

    @Override
    public void run(Running running) throws IOException, InterruptedException {
        CniServer server = CniServer.open(net, socket, gate, listener);
        CountDownLatch ended = new CountDownLatch(1);
        Thread accepting = new Thread(() -> accept(server, ended), "cni-accept");
        accepting.setDaemon(true);
        accepting.start();
        LOG.atInfo().addKeyValue("socket", socket).log("cni.started");
        running.up();
        try {
            while (!running.awaitStop(LOOK)) {
                if (ended.await(0, TimeUnit.SECONDS)) {
                    throw new IOException(socket + ": the CNI server has stopped accepting calls");
                }
            }
        } finally {
            server.stop();
            LOG.atInfo().log("cni.stopped");
        }
    }

    private static void accept(CniServer server, CountDownLatch ended) {
        try {
            server.run();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } finally {
            ended.countDown();
        }
    }
}
