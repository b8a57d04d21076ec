package dev.nodepath.bench.paths;

import static dev.nodepath.bench.suite.Recorder.Quantity.less;
import static dev.nodepath.bench.suite.Recorder.Quantity.more;

import dev.nodepath.bench.suite.Recorder;
import dev.nodepath.bench.suite.Recorder.Quantity;
import dev.nodepath.bench.testbed.ContenderAddress;
import dev.nodepath.bench.testbed.IperfResult;
import dev.nodepath.bench.testbed.OpenLoop;
import dev.nodepath.bench.testbed.ProcessUsage;
import dev.nodepath.bench.testbed.RunningContender;
import dev.nodepath.bench.testbed.Tools;
import dev.nodepath.bench.testbed.UdpLoad;
import dev.nodepath.bench.testbed.WrkResult;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.Optional;

/** The measurements of each contender in each round. */
final class PathMeasures {
    static final String KEPT_ALIVE = "HTTP, 32 connections kept alive";
    static final String NEW = "HTTP, a new connection for each request, 32 at once";
    static final String OPEN_LOOP = "HTTP at a fixed rate, 32 connections";
    static final String UDP = "UDP, 64-byte datagrams echoed, 32 under way";
    static final String PROCESS = "The proxy's process";

    static final String PER_SECOND = "requests";
    static final String P99 = "latency p99";

    private static final String CPU = "CPU of the proxy's processes for 1000 requests";
    private static final String MACHINE = "CPU of the whole machine for 1000 requests";
    private static final int OPEN_LOOP_CONNECTIONS = 32;
    private static final double GIGABYTE = 1e9;

    /** The percentiles of the curve; the percentiles of {@link #FIGURES} are figures too. */
    private static final double[] PERCENTILES = {10, 25, 50, 75, 90, 95, 99, 99.5, 99.9, 99.95, 99.99};

    private static final List<Double> FIGURES = List.of(50.0, 99.0, 99.9, 99.99);

    private final Recorder recorder;
    private final MeasurementLengths lengths;

    PathMeasures(Recorder recorder, MeasurementLengths lengths) {
        this.recorder = recorder;
        this.lengths = lengths;
    }

    static Quantity perSecond(String group) {
        return more(group, PER_SECOND, "1/s");
    }

    static Quantity p99(String group) {
        return less(group, P99, "ms");
    }

    static Quantity bulkRate(int streams) {
        return more(bulk(streams), "throughput", "Gb/s");
    }

    static Quantity echoes() {
        return more(UDP, "echoes", "1/s");
    }

    private static String bulk(int streams) {
        return "Bulk, " + streams + (streams == 1 ? " stream" : " streams");
    }

    /** Requests in a closed loop, over kept-alive connections or new ones. */
    void http(RunningContender contender, int round, boolean keepAlive) throws IOException, InterruptedException {
        String group = keepAlive ? KEPT_ALIVE : NEW;
        Cost cost = new Cost(contender);
        WrkResult result = Tools.requests(contender, lengths.toolSeconds(), keepAlive);
        cost.end();
        String name = contender.toString();
        result.requireAllAnswered();
        double thousands = result.requests() / 1000.0;
        recorder.value(perSecond(group), name, round, result.perSecond());
        recorder.value(p99(group), name, round, result.p99Millis());
        cost.process()
                .ifPresent(seconds -> recorder.value(less(group, CPU, "ms"), name, round, seconds * 1000 / thousands));
        recorder.value(less(group, MACHINE, "ms"), name, round, cost.machine() * 1000 / thousands);
    }

    /** Bytes as fast as they go. */
    void bulk(RunningContender contender, int round, int streams) throws IOException, InterruptedException {
        String group = bulk(streams);
        Cost cost = new Cost(contender);
        IperfResult result = Tools.bulk(contender, lengths.toolSeconds(), streams);
        cost.end();
        String name = contender.toString();
        double gigabytes = result.bytes() / GIGABYTE;
        recorder.value(bulkRate(streams), name, round, result.gigabitsPerSecond());
        cost.process()
                .ifPresent(seconds -> recorder.value(
                        less(group, "CPU of the proxy's processes for a GB", "s"), name, round, seconds / gigabytes));
        recorder.value(less(group, "CPU of the whole machine for a GB", "s"), name, round, cost.machine() / gigabytes);
    }

    /** UDP echoes, for contenders that forward UDP. */
    void udp(RunningContender contender, int round) throws IOException {
        ContenderAddress way = contender.way();
        if (way.echo().isEmpty()) {
            return;
        }
        InetSocketAddress target = way.to(way.echo().getAsInt());
        UdpLoad.Result result = contender.lane().client().call(() -> UdpLoad.run(target, lengths.udp()));
        if (result.echoes() == 0) {
            throw new IOException("no datagram came back");
        }
        recorder.value(echoes(), contender.toString(), round, result.perSecond());
    }

    /** Latency at a rate that every contender can serve. */
    void openLoop(RunningContender contender, int round, double rate) throws IOException {
        ContenderAddress way = contender.way();
        OpenLoop load = new OpenLoop(way.to(way.http()), OPEN_LOOP_CONNECTIONS, rate);
        OpenLoop.Result result = contender.lane().client().call(() -> load.run(lengths.openLoop()));
        String name = contender.toString();
        for (double percentile : PERCENTILES) {
            double millis = result.latencies().millis(percentile);
            recorder.point(less("percentile", OPEN_LOOP + ": latency", "ms"), name, percentile, round, millis);
            if (FIGURES.contains(percentile)) {
                String what = "latency p"
                        + (percentile == Math.rint(percentile)
                                ? Long.toString((long) percentile)
                                : Double.toString(percentile));
                recorder.value(less(OPEN_LOOP, what, "ms"), name, round, millis);
            }
        }
        if (result.errors() > 0) {
            throw new IOException(result.errors() + " of the requests due got no answer: " + result.firstError());
        }
    }

    /** The memory of the proxy's process after the load of a round. */
    void resident(RunningContender contender, int round) throws IOException {
        Optional<ProcessUsage> usage = contender.usage();
        usage.ifPresent(used -> recorder.value(
                less(PROCESS, "resident memory after the load", "MB"),
                contender.toString(),
                round,
                used.residentBytes() / 1e6));
    }

    /** Processor time of the contender's processes and of the machine between two moments. */
    private static final class Cost {
        private final RunningContender contender;
        private final Optional<ProcessUsage> before;
        private final double machineBefore;
        private Optional<Double> process = Optional.empty();
        private double machine;

        Cost(RunningContender contender) throws IOException {
            this.contender = contender;
            this.before = contender.usage();
            this.machineBefore = ProcessUsage.machineCpuSeconds();
        }

        void end() throws IOException {
            machine = ProcessUsage.machineCpuSeconds() - machineBefore;
            Optional<ProcessUsage> after = contender.usage();
            process = before.flatMap(
                    earlier -> after.map(later -> Math.max(0, later.cpuSeconds() - earlier.cpuSeconds())));
        }

        Optional<Double> process() {
            return process;
        }

        double machine() {
            return machine;
        }
    }
}
