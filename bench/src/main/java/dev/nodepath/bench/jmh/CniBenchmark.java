package dev.nodepath.bench.jmh;

import dev.nodepath.cni.config.NetworkConfigParser;
import dev.nodepath.cni.ipam.PodRoute;
import dev.nodepath.cni.protocol.CniException;
import dev.nodepath.cni.protocol.CniResult;
import dev.nodepath.cni.protocol.CniVersion;
import dev.nodepath.cni.protocol.Dns;
import dev.nodepath.cni.protocol.JsonParsing;
import dev.nodepath.cni.protocol.ResultEncoder;
import dev.nodepath.linux.address.Cidr;
import dev.nodepath.linux.address.IpAddress;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;

/** The cost of a CNI call outside the kernel: reading its configuration and writing its result. */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.MICROSECONDS)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(1)
public class CniBenchmark {
    private static final byte[] CONFIG = """
            {"cniVersion":"1.0.0","name":"pods","type":"bridge","bridge":"cni0","isDefaultGateway":true,"ipMasq":true,"mtu":1450,
             "ipam":{"type":"host-local","ranges":[[{"subnet":"10.244.1.0/24"}],[{"subnet":"fd00:10:244:1::/64"}]],
             "routes":[{"dst":"0.0.0.0/0"},{"dst":"::/0"}]}}""".getBytes(StandardCharsets.UTF_8);

    private static final CniResult RESULT = new CniResult(
            List.of(
                    new CniResult.Interface("cni0", "0a:58:0a:f4:01:01", 1450, ""),
                    new CniResult.Interface("veth12345678", "2a:11:22:33:44:55", 1450, ""),
                    new CniResult.Interface("eth0", "3a:11:22:33:44:55", 1450, "/run/netns/pod")),
            List.of(
                    new CniResult.Ip(
                            Optional.of(2), Cidr.parse("10.244.1.7/24"), Optional.of(IpAddress.parse("10.244.1.1"))),
                    new CniResult.Ip(
                            Optional.of(2),
                            Cidr.parse("fd00:10:244:1::7/64"),
                            Optional.of(IpAddress.parse("fd00:10:244:1::1")))),
            List.<PodRoute>of(),
            Dns.NONE);

    /** From the bytes on standard input to a checked configuration. */
    @Benchmark
    public Object parse() throws CniException {
        return NetworkConfigParser.parse(JsonParsing.object(CONFIG));
    }

    /** The line on standard output. */
    @Benchmark
    public String answer() throws CniException {
        return ResultEncoder.encode(RESULT, CniVersion.V1_0_0);
    }
}
