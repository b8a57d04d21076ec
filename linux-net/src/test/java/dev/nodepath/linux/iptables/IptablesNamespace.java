package dev.nodepath.linux.iptables;

import dev.nodepath.linux.KernelLinuxNet;
import dev.nodepath.linux.address.IpFamily;
import dev.nodepath.linux.conntrack.PacketCounters;
import dev.nodepath.linux.namespace.NetworkNamespace;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;

/** A network namespace of a test's own, with its own tables, empty at first. Needs root: for tests tagged netns. */
public final class IptablesNamespace implements AutoCloseable {
    private static final AtomicInteger COUNT = new AtomicInteger();
    private static final Duration RUN_LIMIT = Duration.ofMinutes(5);

    private final String name;
    private final IptablesVariant variant;
    private final TableWatch watch;

    private IptablesNamespace(String name, IptablesVariant variant, TableWatch watch) {
        this.name = name;
        this.variant = variant;
        this.watch = watch;
    }

    /** Makes a new one, for the nf_tables variant. */
    public static IptablesNamespace create() throws IOException {
        return create(IptablesVariant.NFT);
    }

    /** Makes a new one. */
    public static IptablesNamespace create(IptablesVariant variant) throws IOException {
        String name = "iptables-" + ProcessHandle.current().pid() + "-" + COUNT.incrementAndGet();
        succeed(List.of("ip", "netns", "add", name));
        KernelLinuxNet kernel = new KernelLinuxNet();
        try (NetworkNamespace namespace = kernel.openNamed(name)) {
            return new IptablesNamespace(name, variant, namespace.call(() -> TableWatch.open(kernel, variant)));
        }
    }

    /** Its name below {@code /run/netns}. */
    public String name() {
        return name;
    }

    /** The real commands of the variant, inside; they share one watch, as in one process. */
    public Iptables iptables(IpFamily family) {
        return new IptablesCommand(family, Optional.of(variant), launcher(), watch);
    }

    /** The same commands, unknown to the watch: as another program runs them. */
    public Iptables others(IpFamily family) {
        return new IptablesCommand(family, Optional.of(variant), launcher(), new TableWatch.Blind());
    }

    /** The real commands of one variant, inside. */
    public IptablesCommand iptables(IpFamily family, IptablesVariant variant) {
        return new IptablesCommand(family, Optional.of(variant), launcher(), new TableWatch.Blind());
    }

    /** Its packet counters, to be closed by the caller. */
    public PacketCounters packetCounters() throws IOException {
        KernelLinuxNet kernel = new KernelLinuxNet();
        try (NetworkNamespace namespace = kernel.openNamed(name)) {
            return namespace.call(kernel::packetCounters);
        }
    }

    /** Runs a command inside and returns its output; fails if the command does. */
    public String run(String... command) throws IOException {
        List<String> words = new ArrayList<>(launcher());
        words.addAll(List.of(command));
        return succeed(words);
    }

    @Override
    public void close() throws IOException {
        watch.close();
        succeed(List.of("ip", "netns", "delete", name));
    }

    /** The words before a command that is to run inside. */
    public List<String> launcher() {
        return List.of("ip", "netns", "exec", name);
    }

    private static String succeed(List<String> command) throws IOException {
        Subprocess.Result<String> result = Subprocess.run(command, Stream.empty(), RUN_LIMIT, Subprocess::whole);
        if (result.exitCode() != 0) {
            throw new IOException(command + ": exit code " + result.exitCode() + ": " + result.errors());
        }
        return result.output();
    }
}
