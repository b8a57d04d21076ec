package dev.nodepath.agent.metrics;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.function.DoubleSupplier;
import java.util.stream.Stream;

/** The usual metrics of a process, as Prometheus' own client libraries name them. */
final class ProcessMetrics {
    private static final Path STATUS = Path.of("/proc/self/status");
    private static final Path DESCRIPTORS = Path.of("/proc/self/fd");

    private ProcessMetrics() {}

    static void define(Definitions define, Instant fallbackStart) {
        ProcessHandle.Info self = ProcessHandle.current().info();
        double start = self.startInstant().orElse(fallbackStart).toEpochMilli() / 1e3;
        gauge(
                define,
                "process_start_time_seconds",
                "Start time of the process since unix epoch in seconds.",
                () -> start);
        gauge(define, "process_resident_memory_bytes", "Resident memory size in bytes.", ProcessMetrics::resident);
        gauge(define, "process_open_fds", "Number of open file descriptors.", ProcessMetrics::descriptors);
        gauge(define, "process_threads", "Number of threads.", () -> status("Threads:"));
        gauge(
                define,
                "process_cpu_seconds",
                "User and system CPU time spent in seconds.",
                () -> ProcessHandle.current()
                                .info()
                                .totalCpuDuration()
                                .orElse(Duration.ZERO)
                                .toNanos()
                        / 1e9);
    }

    private static void gauge(Definitions define, String name, String help, DoubleSupplier value) {
        define.gauge(name, help, List.of(), callback -> callback.call(value.getAsDouble()));
    }

    private static double resident() {
        return status("VmRSS:") * 1024;
    }

    private static double descriptors() {
        try (Stream<Path> open = Files.list(DESCRIPTORS)) {
            return open.count();
        } catch (IOException e) {
            return 0;
        }
    }

    /** A number of {@code proc_pid_status(5)}; 0 if it cannot be read. */
    private static double status(String field) {
        try (Stream<String> lines = Files.lines(STATUS)) {
            return lines.filter(line -> line.startsWith(field))
                    .mapToDouble(line -> Double.parseDouble(
                            line.substring(field.length()).replace("kB", "").strip()))
                    .findFirst()
                    .orElse(0);
        } catch (IOException e) {
            return 0;
        }
    }
}
