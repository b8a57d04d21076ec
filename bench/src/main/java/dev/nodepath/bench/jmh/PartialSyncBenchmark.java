package dev.nodepath.bench.jmh;

import dev.nodepath.bench.testbed.GeneratedClusters;
import dev.nodepath.endpoints.ChangeSet;
import dev.nodepath.endpoints.ServiceSnapshot;
import dev.nodepath.endpoints.SyncException;
import dev.nodepath.linux.KernelLinuxNet;
import dev.nodepath.linux.address.IpFamily;
import dev.nodepath.linux.iptables.Iptables;
import dev.nodepath.linux.iptables.IptablesVariant;
import dev.nodepath.linux.iptables.IptablesVersion;
import dev.nodepath.linux.iptables.Table;
import dev.nodepath.linux.syscall.LinuxNetException;
import dev.nodepath.proxy.iptables.IptablesProxy;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
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

/** One changed endpoint, from the snapshot to the text for iptables-restore, which is not run. */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.MICROSECONDS)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 3, time = 1)
@Fork(1)
public class PartialSyncBenchmark {
    private static final int ENDPOINTS = 10;
    private static final ChangeSet CHANGED = ChangeSet.of(List.of(GeneratedClusters.name(0)));

    /** How many Services, each of ten endpoints. */
    @Param({"100", "10000"})
    public int services;

    private final TextSink iptables = new TextSink();
    private ServiceSnapshot current = ServiceSnapshot.EMPTY;
    private ServiceSnapshot next = ServiceSnapshot.EMPTY;
    private IptablesProxy proxy;

    /** Makes a proxy whose rules are discarded. */
    public PartialSyncBenchmark() {
        try {
            proxy = new IptablesProxy(
                    GeneratedClusters.CONFIG.with(draft -> draft.localhostNodePorts = false),
                    List.of(iptables),
                    new KernelLinuxNet().current(),
                    Optional.empty());
        } catch (LinuxNetException e) {
            throw new IllegalStateException(e);
        }
    }

    /** Syncs the whole snapshot once. */
    @Setup
    public void syncAll() throws SyncException {
        current = GeneratedClusters.of(services, ENDPOINTS);
        next = GeneratedClusters.of(services, ENDPOINTS, 0);
        proxy.sync(current, ChangeSet.NONE);
    }

    /** The length of the text, the same at any size of the cluster. */
    @Benchmark
    public int oneEndpoint() throws SyncException {
        ServiceSnapshot last = current;
        current = next;
        next = last;
        proxy.sync(current, CHANGED);
        return iptables.length;
    }

    /** Takes any text. */
    private static final class TextSink implements Iptables {
        private int length;

        @Override
        public IpFamily family() {
            return IpFamily.IPV4;
        }

        @Override
        public IptablesVersion version() {
            return new IptablesVersion(1, 8, 9, IptablesVariant.NFT);
        }

        @Override
        public void check() {}

        @Override
        public String save(Table table) {
            return "";
        }

        @Override
        public String save() {
            return "";
        }

        @Override
        public void restore(String text) {
            length = text.length();
        }

        @Override
        public OptionalLong changesByOthers() {
            return OptionalLong.of(0);
        }
    }
}
