package dev.nodepath.bench.jmh;

import dev.nodepath.bench.testbed.GeneratedClusters;
import dev.nodepath.endpoints.EndpointSelection;
import dev.nodepath.endpoints.SelectedEndpoints;
import dev.nodepath.endpoints.ServicePort;
import dev.nodepath.endpoints.ServiceSnapshot;
import dev.nodepath.linux.address.IpFamily;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
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

/** Selects the endpoints of one service port that take connections. */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(1)
public class SelectionBenchmark {
    private static final int SERVICES = 10;

    /** How many endpoints the Service has. */
    @Param({"10", "100", "1000"})
    public int endpoints;

    private ServiceSnapshot snapshot = ServiceSnapshot.EMPTY;

    /** Makes the snapshot. */
    @Setup
    public void makeSnapshot() {
        snapshot = GeneratedClusters.of(SERVICES, endpoints);
    }

    /** The choice. */
    @Benchmark
    public SelectedEndpoints select() {
        ServicePort port = Objects.requireNonNull(snapshot.services().get(GeneratedClusters.name(0)));
        return EndpointSelection.select(snapshot, port, IpFamily.IPV4, "n1");
    }
}
