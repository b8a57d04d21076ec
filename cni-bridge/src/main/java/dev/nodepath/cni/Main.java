package dev.nodepath.cni;

import dev.nodepath.cni.ipam.HostLocalIpam;
import dev.nodepath.cni.ipam.IpamConfig;
import dev.nodepath.linux.FileLock;
import dev.nodepath.linux.KernelLinuxNet;
import java.io.IOException;
import java.io.InputStream;
import java.io.PrintStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.random.RandomGenerator;

/** The program that a container runtime execs: one call of the protocol, then the end. */
public final class Main {
    private static final Path OWN_NAMESPACE = Path.of("/proc/self/ns/net");
    private static final Path RANDOM = Path.of("/dev/urandom");

    private Main() {}

    /** Environment and standard input in, standard output and exit code out. Arguments are passed over, as by every plugin. */
    public static void main(String[] arguments) {
        Outcome outcome = outcome();
        print(System.err, outcome.stderr());
        print(System.out, outcome.stdout());
        System.exit(outcome.exitCode());
    }

    private static Outcome outcome() {
        try {
            KernelLinuxNet net = new KernelLinuxNet();
            HostLocalIpam ipam = new HostLocalIpam(
                    file -> {
                        Optional<FileLock> lock = net.tryLock(file);
                        return lock.isPresent() ? Optional.of(lock.get()::close) : Optional.empty();
                    },
                    HostLocalIpam.LOCK_WAIT_MAX);
            Invocation invocation =
                    new Invocation(new BridgePlugin(net, ipam, random()), OWN_NAMESPACE, IpamConfig.DATA_DIR_DEFAULT);
            return invocation.run(System.getenv(), System.in);
        } catch (Throwable e) {
            // Errors too: a C library that cannot be bound says so by an UnsatisfiedLinkError, and a runtime reads only
            // JSON.
            return Outcome.failed(Invocation.explain(e), CniVersion.latest());
        }
    }

    /** Seeded by the kernel: two plugins that start in the same instant must not draw the same names. */
    private static RandomGenerator random() throws IOException {
        try (InputStream in = Files.newInputStream(RANDOM)) {
            return new SplittableRandom(
                    ByteBuffer.wrap(in.readNBytes(Long.BYTES)).getLong());
        }
    }

    private static void print(PrintStream stream, String text) {
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        stream.write(bytes, 0, bytes.length);
        stream.flush();
    }
}
