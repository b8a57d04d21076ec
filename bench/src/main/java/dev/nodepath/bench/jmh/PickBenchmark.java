package dev.nodepath.bench.jmh;

import dev.nodepath.linux.address.IpAddress;
import dev.nodepath.proxy.userspace.metrics.TrafficCounter;
import dev.nodepath.proxy.userspace.relay.Affinity;
import dev.nodepath.proxy.userspace.relay.Balancer;
import dev.nodepath.proxy.userspace.relay.RelayEndpoint;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;

/** Chooses the endpoint of a new connection: the next in turn, or the endpoint of the client's affinity. */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(1)
public class PickBenchmark {
    private static final IpAddress CLIENT = IpAddress.parse("10.244.0.1");
    private static final long TIMEOUT_NANOS = TimeUnit.HOURS.toNanos(3);

    /** How many endpoints. */
    @Param({"2", "10", "1000"})
    public int endpoints;

    /** How it is chosen among them. */
    @Param
    public Balancer balancer = Balancer.ROUND_ROBIN;

    private final List<RelayEndpoint> among = new ArrayList<>();
    private final Affinity affinity = new Affinity();
    private int turn;

    /** Makes the endpoints, and a full table of clients. */
    @Setup
    public void makeEndpoints() {
        for (int i = 0; i < endpoints; i++) {
            among.add(new RelayEndpoint(InetSocketAddress.createUnresolved("pod-" + i, 8080), new TrafficCounter()));
        }
        for (int i = 0; i < Affinity.CLIENTS_MAX; i++) {
            affinity.pin(CLIENT.plus(i), among.get(i % endpoints), 0);
        }
    }

    /** The endpoint of a turn. */
    @Benchmark
    public Object pick() {
        return balancer.pick(among, turn++);
    }

    /** The endpoint of a client's affinity, in a table of 16,384 clients. */
    @Benchmark
    public @Nullable Object pinned() {
        return affinity.find(CLIENT.plus(turn++ & (Affinity.CLIENTS_MAX - 1)), 1, TIMEOUT_NANOS);
    }

    /** A new client that evicts the least recently seen one. */
    @Benchmark
    public void pinNewClient() {
        affinity.pin(CLIENT.plus(turn++ & 0xFF_FFFF), among.get(0), 1);
    }
}
