package dev.nodepath.bench;

import dev.nodepath.endpoints.Endpoint;
import dev.nodepath.endpoints.NamespacedName;
import dev.nodepath.endpoints.Protocol;
import dev.nodepath.endpoints.ServicePort;
import dev.nodepath.endpoints.ServicePortName;
import dev.nodepath.endpoints.ServiceSnapshot;
import dev.nodepath.linux.Cidr;
import dev.nodepath.linux.IpAddress;
import dev.nodepath.linux.IpFamily;
import dev.nodepath.linux.iptables.RestoreText;
import dev.nodepath.proxy.iptables.IptablesConfig;
import dev.nodepath.proxy.iptables.IptablesRules;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
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
    private static final IptablesConfig CONFIG =
            IptablesConfig.DEFAULTS.withClusterCidrs(List.of(Cidr.parse("10.0.0.0/8")));

    /** How many Services, each of ten endpoints. */
    @Param({"10", "1000", "10000"})
    public int services;

    private ServiceSnapshot snapshot = ServiceSnapshot.EMPTY;

    /** Makes the snapshot. */
    @Setup
    public void makeSnapshot() {
        TreeMap<ServicePortName, ServicePort> ports = new TreeMap<>();
        Map<ServicePortName, List<Endpoint>> endpoints = new TreeMap<>();
        IpAddress clusterIp = IpAddress.parse("172.30.0.1");
        IpAddress pod = IpAddress.parse("10.0.0.1");
        for (int i = 0; i < services; i++) {
            ServicePortName name =
                    new ServicePortName(new NamespacedName("default", "service-" + i), "http", Protocol.TCP);
            ports.put(name, new ServicePort(name, List.of(clusterIp.plus(i)), 80, 0, List.of(), List.of()));
            List<Endpoint> ofService = new ArrayList<>();
            for (int j = 0; j < ENDPOINTS; j++) {
                ofService.add(Endpoint.ready(pod.plus((long) i * ENDPOINTS + j), 8080, "n1"));
            }
            endpoints.put(name, ofService);
        }
        snapshot = new ServiceSnapshot(ports, endpoints, new TreeMap<>());
    }

    /** All of it. */
    @Benchmark
    public String completeText() {
        return RestoreText.complete(IptablesRules.of(snapshot, CONFIG, IpFamily.IPV4));
    }
}
