package dev.nodepath.bench.jmh;

import dev.nodepath.bench.testbed.GeneratedClusters;
import dev.nodepath.endpoints.Protocol;
import dev.nodepath.endpoints.trace.Trace;
import dev.nodepath.endpoints.trace.TracedPacket;
import dev.nodepath.linux.address.IpAddress;
import dev.nodepath.linux.address.IpFamily;
import dev.nodepath.linux.iptables.RuleSet;
import dev.nodepath.proxy.iptables.IptablesRules;
import dev.nodepath.proxy.iptables.PacketTracer;
import java.util.Set;
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

/** Traces one packet through all rules to each possible outcome. */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.MICROSECONDS)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(1)
public class TracerBenchmark {
    private static final int ENDPOINTS = 10;
    private static final IpAddress HOST = IpAddress.parse("192.168.0.1");

    /** How many Services, each of ten endpoints; the packet is for one in their middle. */
    @Param({"10", "100", "1000", "10000"})
    public int services;

    private RuleSet rules = IptablesRules.of(GeneratedClusters.of(1, 1), GeneratedClusters.CONFIG, IpFamily.IPV4);
    private TracedPacket packet = packetTo(0);

    /** Makes the rules. */
    @Setup
    public void makeRules() {
        rules = IptablesRules.of(GeneratedClusters.of(services, ENDPOINTS), GeneratedClusters.CONFIG, IpFamily.IPV4);
        packet = packetTo(services / 2);
    }

    /** The walk. */
    @Benchmark
    public Trace trace() {
        return PacketTracer.trace(rules, packet, Set.of(HOST));
    }

    private static TracedPacket packetTo(int service) {
        return new TracedPacket(
                IpAddress.parse("10.0.0.200"),
                Protocol.TCP,
                IpAddress.parse("172.30.0.1").plus(service),
                80,
                "");
    }
}
