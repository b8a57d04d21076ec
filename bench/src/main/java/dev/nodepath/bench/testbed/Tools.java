package dev.nodepath.bench.testbed;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** Runs Debian's load generators in the client's namespace. */
public final class Tools {
    private static final Duration OVERTIME_MAX = Duration.ofSeconds(20);
    private static final int CONNECTIONS = 32;

    private Tools() {}

    /** Fails before the measurement if a tool is missing. */
    public static void require() throws IOException {
        for (String program : List.of("wrk", "iperf3", "nginx")) {
            if (!Command.exists(program)) {
                throw new IOException(program + ": not found (expected: Debian packages wrk, iperf3 and nginx-light)");
            }
        }
    }

    /** Requests over kept-alive connections, or each over a new connection. */
    public static WrkResult requests(RunningContender contender, int seconds, boolean keepAlive)
            throws IOException, InterruptedException {
        return requests(contender.lane(), contender.way(), seconds, keepAlive);
    }

    /** The same from a node's client to an address. */
    public static WrkResult requests(ContenderNode node, ContenderAddress way, int seconds, boolean keepAlive)
            throws IOException, InterruptedException {
        List<String> command =
                new ArrayList<>(List.of("wrk", "-t1", "-c" + CONNECTIONS, "-d" + seconds + "s", "--latency"));
        if (!keepAlive) {
            command.addAll(List.of("-H", "Connection: close"));
        }
        command.add("http://" + way.address() + ":" + way.http() + "/");
        return WrkResult.parse(run(node, command, seconds));
    }

    /** Sends bytes from the client to the server over this many connections. */
    public static IperfResult bulk(RunningContender contender, int seconds, int streams)
            throws IOException, InterruptedException {
        ContenderAddress way = contender.way();
        return IperfResult.parse(run(
                contender.lane(),
                List.of(
                        "iperf3",
                        "-J",
                        "-c",
                        way.address(),
                        "-p",
                        Integer.toString(way.bulk()),
                        "-t",
                        Integer.toString(seconds),
                        "-P",
                        Integer.toString(streams)),
                seconds));
    }

    private static String run(ContenderNode node, List<String> command, int seconds)
            throws IOException, InterruptedException {
        return Command.output(node.inClient(command), OVERTIME_MAX.plusSeconds(seconds));
    }
}
