package dev.nodepath.agent.metrics;

import io.prometheus.metrics.core.metrics.Info;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.function.DoubleSupplier;
import java.util.stream.Stream;

/** The process metrics of Prometheus' client libraries, and the version. */
public final class ProcessMetrics {
    private static final Path STATUS = Path.of("/proc/self/status");
    private static final Path DESCRIPTORS = Path.of("/proc/self/fd");
    private static final Path LIMITS = Path.of("/proc/self/limits");
    private static final double UNLIMITED = Math.pow(2, 64);

    private ProcessMetrics() {}

    /** Adds them to a registry. */
    public static void register(PrometheusRegistry registry, String version) {
        Definitions define = new Definitions(registry);
        ProcessHandle.Info self = ProcessHandle.current().info();
        double start = Seconds.of(self.startInstant().orElseGet(Instant::now));
        define.counted(
                "process_cpu_seconds_total",
                "Total user and system CPU time spent in seconds.",
                callback -> callback.call(cpuSeconds()));
        gauge(
                define,
                "process_start_time_seconds",
                "Start time of the process since unix epoch in seconds.",
                () -> start);
        gauge(define, "process_resident_memory_bytes", "Resident memory size in bytes.", () -> status("VmRSS:") * 1024);
        gauge(define, "process_virtual_memory_bytes", "Virtual memory size in bytes.", () -> status("VmSize:") * 1024);
        gauge(
                define,
                "process_virtual_memory_max_bytes",
                "Maximum amount of virtual memory available in bytes.",
                () -> limit("Max address space"));
        gauge(define, "process_open_fds", "Number of open file descriptors.", ProcessMetrics::descriptors);
        gauge(define, "process_max_fds", "Maximum number of open file descriptors.", () -> limit("Max open files"));
        gauge(define, "process_threads", "Number of threads.", () -> status("Threads:"));
        Info.builder()
                .name("nodepath_build_info")
                .help("Version of Nodepath; always 1")
                .labelNames("version")
                .register(registry)
                .addLabelValues(version);
    }

    private static void gauge(Definitions define, String name, String help, DoubleSupplier value) {
        define.gauge(name, help, callback -> callback.call(value.getAsDouble()));
    }

    private static double cpuSeconds() {
        return Seconds.of(ProcessHandle.current().info().totalCpuDuration().orElse(Duration.ZERO));
    }

    private static double descriptors() {
        try (Stream<Path> open = Files.list(DESCRIPTORS)) {
            return open.count();
        } catch (IOException e) {
            return 0;
        }
    }

    /**
     * A soft limit of {@code proc_pid_limits(5)}; 0 if it cannot be read. An unlimited one has the value of Go's
     * client.
     */
    private static double limit(String name) {
        try (Stream<String> lines = Files.lines(LIMITS)) {
            return lines.filter(line -> line.startsWith(name))
                    .map(line -> line.substring(name.length()).strip().split(" ", 2)[0])
                    .mapToDouble(soft -> soft.equals("unlimited") ? UNLIMITED : Double.parseDouble(soft))
                    .findFirst()
                    .orElse(0);
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
