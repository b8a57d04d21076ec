package dev.nodepath.bench.jmh;

import dev.nodepath.bench.testbed.GeneratedClusters;
import dev.nodepath.endpoints.ServiceSnapshot;
import dev.nodepath.linux.address.IpFamily;
import dev.nodepath.linux.iptables.RestoreText;
import dev.nodepath.proxy.iptables.IptablesRules;
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

/** From a snapshot to the whole text for iptables-restore. */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.MILLISECONDS)
@Warmup(iterations = 5, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(1)
public class RenderBenchmark {
    private static final int ENDPOINTS = 10;

    /** How many Services, each of ten endpoints. */
    @Param({"10", "1000", "10000"})
    public int services;

    private ServiceSnapshot snapshot = ServiceSnapshot.EMPTY;

    /** Makes the snapshot. */
    @Setup
    public void makeSnapshot() {
        snapshot = GeneratedClusters.of(services, ENDPOINTS);
    }

    /** The whole text. */
    @Benchmark
    public String completeText() {
        return RestoreText.complete(IptablesRules.of(snapshot, GeneratedClusters.CONFIG, IpFamily.IPV4));
    }
}
