package dev.nodepath.bench.cni;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/** {@code nodepath cni-server}, while the suite runs. */
final class Server implements AutoCloseable {
    private static final Path SOCKET = Path.of("/run/nodepath/cni.sock");
    private static final long SECONDS_MAX = 60;

    private final Process process;

    Server(Path scripts) throws IOException {
        this.process = new ProcessBuilder(scripts.resolve("nodepath").toString(), "cni-server")
                .redirectErrorStream(true)
                .redirectOutput(Path.of("/run/cni-server.log").toFile())
                .start();
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(SECONDS_MAX);
        while (!Files.exists(SOCKET)) {
            if (!process.isAlive() || System.nanoTime() > deadline) {
                throw new IOException("cni-server: " + Files.readString(Path.of("/run/cni-server.log")));
            }
            LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(10));
        }
    }

    /** The server's resident memory, in megabytes. */
    double residentMegabytes() throws IOException {
        for (String line : Files.readAllLines(Path.of("/proc/" + process.pid() + "/status"))) {
            if (line.startsWith("VmRSS:")) {
                return Long.parseLong(line.replaceAll("\\D", "")) / 1024.0;
            }
        }
        throw new IOException("no VmRSS of the CNI server");
    }

    @Override
    public void close() {
        process.destroy();
    }
}
