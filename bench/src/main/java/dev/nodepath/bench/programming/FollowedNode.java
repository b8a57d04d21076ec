package dev.nodepath.bench.programming;

import dev.nodepath.bench.testbed.ApiObject;
import dev.nodepath.bench.testbed.BenchApiServer;
import dev.nodepath.bench.testbed.Command;
import dev.nodepath.bench.testbed.Contender;
import dev.nodepath.bench.testbed.ContenderAddress;
import dev.nodepath.bench.testbed.ContenderNode;
import dev.nodepath.bench.testbed.Programs;
import dev.nodepath.emulator.traffic.Greeting;
import dev.nodepath.linux.LinuxNet;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * A node without rules, its API server with many Services, and one proxy that follows it. A change is in force once a
 * client gets an answer through it. So every proxy is judged alike, whatever it reports.
 */
final class FollowedNode implements AutoCloseable {
    /** The resolution of a time to an answer. */
    static final int POLL_MILLIS = 5;

    private static final long NANOS_MAX = TimeUnit.MINUTES.toNanos(2);
    private static final Duration ASK_MAX = Duration.ofSeconds(1);
    private static final List<ApiObject.Port> PORTS =
            List.of(new ApiObject.Port("http", "TCP", 80, ContenderNode.HTTP));
    /** An address of the node that resets each connection. */
    private static final String NOBODY = "10.255.0.1";
    /** The addresses of the probed Services, which refuse clients until a rule leads to a server. */
    private static final String PROBED = "10.98.0.";

    private static final List<String> REFUSED = List.of(PROBED + "0/24", NOBODY);
    private static final Duration COMMAND_MAX = Duration.ofMinutes(1);

    private final Contender contender;
    private final Programs programs;
    private final int endpoints;
    private final ContenderNode lane;
    private final BenchApiServer server;

    /** A node with so many Services of so many endpoints, without a proxy yet. */
    FollowedNode(LinuxNet net, Contender contender, Programs programs, int services, int endpoints)
            throws IOException, InterruptedException {
        this.contender = contender;
        this.programs = programs;
        this.endpoints = endpoints;
        lane = new ContenderNode(net, "p", Files.createTempDirectory(Path.of("/run"), "bench-p-"));
        server = serverOn(lane);
        boolean complete = false;
        try {
            lane.startServers();
            refuse();
            fill(services);
            complete = true;
        } finally {
            if (!complete) {
                close();
            }
        }
    }

    private static BenchApiServer serverOn(ContenderNode lane) throws IOException {
        try {
            return new BenchApiServer(lane.node());
        } catch (IOException | RuntimeException e) {
            lane.close();
            throw e;
        }
    }

    private void fill(int services) {
        server.put(ApiObject.node(ContenderNode.NODE_NAME, ContenderNode.NODE));
        for (int i = 0; i < services; i++) {
            server.put(ApiObject.service(name(i), "10.97." + (i >> 8) + "." + (i & 255), PORTS));
            putSlice(i, 0);
        }
    }

    /**
     * Assigns these addresses to the node, which has no such port open and resets each connection at once. Without a
     * route the node would answer with ICMP. The kernel limits ICMP to about one message a second, and the client would
     * wait. A rule of a Service changes the destination before the route lookup, so it still applies.
     */
    private void refuse() throws IOException, InterruptedException {
        for (String network : REFUSED) {
            output(List.of("ip", "route", "add", "local", network, "dev", "lo"));
        }
    }

    private static String name(int service) {
        return "service-" + service;
    }

    /** Writes the slice of a Service; each version has another last endpoint. */
    void putSlice(int service, int version) {
        List<String> pods = new ArrayList<>();
        for (int i = 0; i < endpoints; i++) {
            int pod = service * endpoints + i;
            int net = i == endpoints - 1 ? 128 + version % 2 * 64 : 128;
            pods.add("10." + (net + (pod >> 16)) + "." + (pod >> 8 & 255) + "." + (pod & 255));
        }
        server.put(ApiObject.slice(name(service), pods, List.of(), PORTS));
    }

    /**
     * Writes a probed Service with or without an answering server. It sorts after all others, so its rules come last.
     */
    void putProbe(int probe, boolean answers) {
        server.put(ApiObject.service("web-" + probe, PROBED + probe, PORTS));
        putProbeSlice(probe, answers);
    }

    /** Lets the server of a probed Service answer, or not. */
    void putProbeSlice(int probe, boolean answers) {
        String pod = answers ? ContenderNode.SERVER : NOBODY;
        server.put(ApiObject.slice("web-" + probe, List.of(pod), List.of(), PORTS));
    }

    /** Starts the proxy. */
    Process start() throws IOException, InterruptedException {
        return contender.start(lane, programs, server.url()).orElseThrow();
    }

    /** Starts the API server again, with the same objects. */
    void restartServer() throws IOException {
        server.restart();
    }

    /** The output of a command on the node. */
    String output(List<String> command) throws IOException, InterruptedException {
        return Command.output(lane.onNode(command), COMMAND_MAX);
    }

    /** Kills the proxy. */
    void end(Process process) throws IOException {
        lane.end(process);
    }

    /** Asks a probed Service until it answers, and returns the milliseconds since then. */
    double millisUntilAnswered(Process process, int probe, long startNanos) throws IOException, InterruptedException {
        return millisUntil(process, probe, startNanos, true);
    }

    /** Asks a probed Service until it refuses, and returns the milliseconds since then. */
    double millisUntilRefused(Process process, int probe, long startNanos) throws IOException, InterruptedException {
        return millisUntil(process, probe, startNanos, false);
    }

    private double millisUntil(Process process, int probe, long startNanos, boolean answered)
            throws IOException, InterruptedException {
        InetSocketAddress target = ContenderAddress.at(PROBED + probe, 80);
        while (answered
                != (lane.client().call(() -> Greeting.ask(target, ASK_MAX)).outcome() == Greeting.Outcome.ANSWERED)) {
            boolean ended = !process.isAlive();
            if (ended || System.nanoTime() - startNanos > NANOS_MAX) {
                throw new IOException(contender
                        + (ended ? ": ended: " : ": no answer at " + target.getHostString() + ": ")
                        + lane.log(contender.toString()));
            }
            TimeUnit.MILLISECONDS.sleep(POLL_MILLIS);
        }
        return (System.nanoTime() - startNanos) / 1e6;
    }

    @Override
    public void close() throws IOException {
        server.close();
        lane.close();
    }
}
