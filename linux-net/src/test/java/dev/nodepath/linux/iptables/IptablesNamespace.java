package dev.nodepath.linux.iptables;

import dev.nodepath.linux.KernelLinuxNet;
import dev.nodepath.linux.address.IpFamily;
import dev.nodepath.linux.conntrack.PacketCounters;
import dev.nodepath.linux.namespace.NetworkNamespace;
import dev.nodepath.linux.namespace.NetworkNamespace.NamespaceTask;
import dev.nodepath.linux.syscall.LinuxNetException;
import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;

/**
 * A network namespace of a test's own, with its own tables, empty at first. Needs root: for tests tagged netns. After
 * its close the kernel may keep it for a minute, as Java keeps a thread inside that has waited for a command.
 */
public final class IptablesNamespace implements AutoCloseable {
    private static final AtomicInteger COUNT = new AtomicInteger();
    private static final Duration RUN_LIMIT = Duration.ofMinutes(5);

    private final KernelLinuxNet kernel = new KernelLinuxNet();
    private final String name = "iptables-" + ProcessHandle.current().pid() + "-" + COUNT.incrementAndGet();
    private final NetworkNamespace namespace = kernel.create(name);
    private final IptablesVariant variant;
    private final TableWatch watch;

    private IptablesNamespace(IptablesVariant variant) throws IOException {
        this.variant = variant;
        try {
            this.watch = inside(() -> TableWatch.open(kernel, variant));
        } catch (IOException e) {
            namespace.close();
            kernel.delete(name);
            throw e;
        }
    }

    /** Makes a new one, for the nf_tables variant. */
    public static IptablesNamespace create() throws IOException {
        return create(IptablesVariant.NFT);
    }

    /** Makes a new one. */
    public static IptablesNamespace create(IptablesVariant variant) throws IOException {
        return new IptablesNamespace(variant);
    }

    /** Its name below {@code /run/netns}. */
    public String name() {
        return name;
    }

    /** The open namespace, which closes with this. */
    public NetworkNamespace opened() {
        return namespace;
    }

    /** The real commands of the variant, inside; they share one watch, as in one process. */
    public Iptables iptables(IpFamily family) {
        return inside(new IptablesCommand(family, Optional.of(variant), watch));
    }

    /** The same commands, unknown to the watch: as another program runs them. */
    public Iptables others(IpFamily family) {
        return iptables(family, variant);
    }

    /** The real commands of one variant, inside. */
    public Iptables iptables(IpFamily family, IptablesVariant variant) {
        return inside(new IptablesCommand(family, Optional.of(variant)));
    }

    /** Its packet counters, to be closed by the caller. */
    public PacketCounters packetCounters() throws IOException {
        return inside(kernel::packetCounters);
    }

    /**
     * Runs a command inside, with mounts of its own, and returns its output. What it mounts is seen by nobody else.
     *
     * @throws IOException if the command fails
     */
    public String run(String... command) throws IOException {
        List<String> words = new ArrayList<>(launcher());
        words.addAll(List.of(command));
        Subprocess.Result<String> result = Subprocess.run(words, Stream.empty(), RUN_LIMIT, Subprocess::whole);
        if (result.exitCode() != 0) {
            throw new IOException(words + ": exit code " + result.exitCode() + ": " + result.errors());
        }
        return result.output();
    }

    /** The words before a command that is to run inside, with mounts of its own. */
    public List<String> launcher() {
        return List.of("ip", "netns", "exec", name);
    }

    /** Runs a task on a thread inside. A command is where the thread is that starts it. */
    <T> T inside(NamespaceTask<T> task) throws IOException {
        try {
            return namespace.call(task);
        } catch (LinuxNetException e) {
            throw e.getCause() instanceof IOException cause ? cause : e;
        }
    }

    /** The same commands, each run inside. */
    private Iptables inside(IptablesCommand commands) {
        return (Iptables) Proxy.newProxyInstance(
                Iptables.class.getClassLoader(), new Class<?>[] {Iptables.class}, (proxy, method, arguments) -> {
                    try {
                        return namespace.call(() -> method.invoke(commands, arguments));
                    } catch (LinuxNetException e) {
                        throw e.getCause() instanceof InvocationTargetException failure
                                ? failure.getCause()
                                : new IptablesException(e.toString(), e);
                    }
                });
    }

    @Override
    public void close() throws IOException {
        watch.close();
        namespace.close();
        kernel.delete(name);
    }
}
