package dev.nodepath.bench.testbed;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/** Brings a process to rest before it is measured. */
public final class RestingProcess {
    private static final long QUIET_NANOS_MAX = TimeUnit.SECONDS.toNanos(60);
    private static final long QUIET_NANOS = TimeUnit.MILLISECONDS.toNanos(300);
    /** A part that looks around now and then uses no more. */
    private static final double QUIET_SECONDS = 0.02;

    private static final Path JCMD = Path.of(System.getProperty("java.home"), "bin", "jcmd");
    private static final Duration COLLECTION_MAX = Duration.ofSeconds(30);
    /** The first collection finds objects that the second may free: references that wait for a cleaner. */
    private static final int COLLECTIONS = 2;

    private RestingProcess() {}

    /**
     * Waits until the process has used no processor time for a while; a process that is never idle is measured as it
     * is.
     */
    public static void await(Process process) throws IOException, InterruptedException {
        long start = System.nanoTime();
        double before = -1;
        double now = cpuSeconds(process);
        while (now - before > QUIET_SECONDS && System.nanoTime() - start < QUIET_NANOS_MAX) {
            if (Thread.interrupted()) {
                throw new InterruptedException();
            }
            LockSupport.parkNanos(QUIET_NANOS);
            before = now;
            now = cpuSeconds(process);
        }
    }

    private static double cpuSeconds(Process process) throws IOException {
        return ProcessUsage.of(List.of(process)).cpuSeconds();
    }

    /**
     * Has a JVM collect its garbage and give back the memory that it then does not need.
     *
     * @throws IOException without the program {@code jcmd}, which is in every JDK
     */
    public static void trimHeap(Process jvm) throws IOException, InterruptedException {
        for (int i = 0; i < COLLECTIONS; i++) {
            Command.output(List.of(JCMD.toString(), Long.toString(jvm.pid()), "GC.run"), COLLECTION_MAX);
        }
    }
}
