package dev.nodepath.bench.jmh;

import dev.nodepath.bench.testbed.GeneratedClusters;
import dev.nodepath.endpoints.EndpointSlice;
import dev.nodepath.endpoints.NamespacedName;
import dev.nodepath.endpoints.Protocol;
import dev.nodepath.endpoints.Service;
import dev.nodepath.endpoints.ServicePort;
import dev.nodepath.endpoints.SnapshotTracker;
import dev.nodepath.linux.address.IpAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
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

/** One changed slice, from the object to a new snapshot that names the change. */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.MICROSECONDS)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(1)
public class TrackingBenchmark {
    private static final int ENDPOINTS = 10;
    private static final IpAddress CLUSTER_IP = IpAddress.parse("172.30.0.1");
    private static final IpAddress POD = IpAddress.parse("10.0.0.1");

    /** How many Services, each of one slice of ten endpoints. */
    @Param({"10", "100", "1000", "10000"})
    public int services;

    private final SnapshotTracker tracker = new SnapshotTracker();
    private int port = 8080;

    /** Puts all objects. */
    @Setup
    public void fill() {
        for (int i = 0; i < services; i++) {
            ServicePort servicePort = new ServicePort(
                    GeneratedClusters.name(i), List.of(CLUSTER_IP.plus(i)), 80, 0, List.of(), List.of());
            tracker.put(new Service(GeneratedClusters.name(i).service(), List.of(servicePort)));
            tracker.put(slice(i, port));
        }
        tracker.commit();
    }

    /** The number of service ports that changed: one. */
    @Benchmark
    public int oneSlice() {
        port = port == 8080 ? 8081 : 8080;
        tracker.put(slice(services / 2, port));
        return tracker.commit().change().servicePorts().size();
    }

    private static EndpointSlice slice(int service, int port) {
        List<EndpointSlice.Address> addresses = new ArrayList<>();
        for (int i = 0; i < ENDPOINTS; i++) {
            IpAddress ip = POD.plus((long) service * ENDPOINTS + i);
            addresses.add(new EndpointSlice.Address(ip, "n1", true, true, false));
        }
        return new EndpointSlice(
                new NamespacedName("default", "service-" + service + "-1"),
                GeneratedClusters.name(service).service(),
                List.of(new EndpointSlice.Port("http", Protocol.TCP, port)),
                addresses,
                Optional.empty());
    }
}
