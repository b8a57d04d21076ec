package dev.nodepath.bench.testbed;

import dev.nodepath.emulator.traffic.Greeting;
import dev.nodepath.linux.LinuxNet;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.locks.LockSupport;

/** A running contender on its lane. */
public final class RunningContender implements AutoCloseable {
    private static final Duration SERVING_MAX = Duration.ofMinutes(2);
    private static final Duration ASK_MAX = Duration.ofSeconds(1);
    private static final long POLL_NANOS = 20_000_000;

    private final Contender contender;
    private final ContenderNode lane;
    private final BenchApiServer apiServer;
    private final Optional<Process> process;

    private RunningContender(
            Contender contender, ContenderNode lane, BenchApiServer apiServer, Optional<Process> process) {
        this.contender = contender;
        this.lane = lane;
        this.apiServer = apiServer;
        this.process = process;
    }

    /**
     * Starts a contender on a lane of its own and waits until it answers.
     *
     * @param prefix for the names of the lane's namespaces
     * @throws IOException if it does not serve within two minutes, with the end of its log
     */
    static RunningContender start(LinuxNet net, Contender contender, String prefix, Programs programs, Path folder)
            throws IOException, InterruptedException {
        ContenderNode lane = new ContenderNode(net, prefix + contender, folder.resolve(contender.toString()));
        boolean serving = false;
        BenchApiServer apiServer = null;
        try {
            lane.startServers();
            apiServer = new BenchApiServer(lane.node());
            Contender.objects().forEach(apiServer::put);
            Optional<Process> process = contender.start(lane, programs, apiServer.url());
            RunningContender live = new RunningContender(contender, lane, apiServer, process);
            live.awaitAnswer(live.way().to(live.way().http()), SERVING_MAX);
            serving = true;
            return live;
        } finally {
            if (!serving) {
                if (apiServer != null) {
                    apiServer.close();
                }
                lane.close();
            }
        }
    }

    /** Which one it is. */
    public Contender contender() {
        return contender;
    }

    /** The contender's node. */
    public ContenderNode lane() {
        return lane;
    }

    /** The contender's API server. */
    public BenchApiServer apiServer() {
        return apiServer;
    }

    /** The address for a client's traffic. */
    public ContenderAddress way() {
        return contender.way();
    }

    /** The resources that its processes have used; empty without processes. */
    public Optional<ProcessUsage> usage() throws IOException {
        return process.isPresent() ? Optional.of(ProcessUsage.of(List.of(process.get()))) : Optional.empty();
    }

    /**
     * Has a JVM collect its garbage and give back the memory that it then does not need. Other programs have no heap to
     * trim.
     *
     * @throws IOException without the program {@code jcmd}, which is in every JDK
     */
    public void trimHeap() throws IOException, InterruptedException {
        if (process.isPresent() && contender.isJvm()) {
            RestingProcess.trimHeap(process.get());
        }
    }

    /** Waits until its process is idle, if it has one. */
    void awaitRest() throws IOException, InterruptedException {
        if (process.isPresent()) {
            RestingProcess.await(process.get());
        }
    }

    /**
     * Waits until a request of the client to this address is answered.
     *
     * @throws IOException if there is no answer, or the process has ended
     */
    public void awaitAnswer(InetSocketAddress target, Duration limit) throws IOException, InterruptedException {
        long deadline = System.nanoTime() + limit.toNanos();
        while (lane.client().call(() -> Greeting.ask(target, ASK_MAX)).outcome() != Greeting.Outcome.ANSWERED) {
            boolean ended = process.isPresent() && !process.get().isAlive();
            if (ended || System.nanoTime() > deadline) {
                throw new IOException(contender + (ended ? ": ended" : ": no answer within " + limit.toSeconds() + " s")
                        + ": " + lane.log(contender.toString()));
            }
            if (Thread.interrupted()) {
                throw new InterruptedException();
            }
            LockSupport.parkNanos(POLL_NANOS);
        }
    }

    /** The name in tables. */
    @Override
    public String toString() {
        return contender.toString();
    }

    @Override
    public void close() throws IOException {
        apiServer.close();
        lane.close();
    }
}
