package dev.nodepath.bench.policy;

import dev.nodepath.bench.testbed.ApiObject;
import dev.nodepath.bench.testbed.BenchApiServer;
import dev.nodepath.bench.testbed.ContenderNode;
import dev.nodepath.bench.testbed.Programs;
import dev.nodepath.bench.testbed.RestingProcess;
import dev.nodepath.linux.LinuxNet;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** A node with an API server, and an agent that follows it. */
final class PolicedNode implements AutoCloseable {
    private static final Duration START_MAX = Duration.ofMinutes(1);
    private static final String LOG = "agent";

    private final Programs programs;
    private final Path folder;
    private final ContenderNode lane;
    private final BenchApiServer server;

    /** A node without an agent yet. Its client and its server are Pods. */
    PolicedNode(LinuxNet net, String name, Programs programs) throws IOException, InterruptedException {
        this.programs = programs;
        folder = Files.createTempDirectory(Path.of("/run"), "bench-" + name);
        lane = new ContenderNode(net, name, folder);
        server = new BenchApiServer(lane.node());
        put(List.of(
                ApiObject.node(ContenderNode.NODE_NAME, ContenderNode.NODE),
                PolicedCluster.client(true),
                PolicedCluster.server()));
    }

    ContenderNode lane() {
        return lane;
    }

    BenchApiServer server() {
        return server;
    }

    /** The socket of the agent's CNI server. */
    Path socket() {
        return folder.resolve("cni.sock");
    }

    void put(List<ApiObject> objects) {
        objects.forEach(server::put);
    }

    /**
     * Starts the agent, and waits until it serves pods and is idle.
     *
     * @param mode of its proxy, or {@code none}
     * @param enforces whether policies are in force
     */
    Process start(String mode, boolean enforces) throws IOException, InterruptedException {
        Files.deleteIfExists(socket());
        List<String> command = new ArrayList<>(programs.nodepath());
        command.addAll(List.of(
                "agent",
                "--mode=" + mode,
                "--master=" + server.url(),
                "--hostname-override=" + ContenderNode.NODE_NAME,
                "--cluster-cidr=10.244.0.0/15",
                "--network-policy=" + enforces,
                "--install=false",
                "--overlay=none",
                "--cni-socket=" + socket(),
                "--cni-conf-dir=" + folder.resolve("net.d"),
                "--cni-bin-dir=" + folder.resolve("plugins"),
                "--oom-score-adj=0"));
        Process agent = lane.startOnNode(command, LOG);
        long start = System.nanoTime();
        while (!Files.exists(socket())) {
            if (!agent.isAlive() || System.nanoTime() - start > START_MAX.toNanos()) {
                throw new IOException("agent: does not serve pods: " + lane.log(LOG));
            }
            TimeUnit.MILLISECONDS.sleep(10);
        }
        RestingProcess.await(agent);
        return agent;
    }

    /** Kills the agent. */
    void end(Process agent) throws IOException {
        lane.end(agent);
    }

    @Override
    public String toString() {
        return lane.toString();
    }

    @Override
    public void close() throws IOException {
        server.close();
        lane.close();
    }
}
