package dev.nodepath.bench.testbed;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * The resources that processes have used, from {@code proc(5)}.
 *
 * @param cpuSeconds of the processes, their descendants and the children they have waited for, in user and kernel mode;
 *     the kernel counts in steps of 10 ms
 * @param residentBytes their resident memory
 */
public record ProcessUsage(double cpuSeconds, long residentBytes) {
    /** USER_HZ, the same on every architecture that Java runs on. */
    private static final double TICKS_PER_SECOND = 100;

    private static final int UTIME = 11;
    private static final int CHILDREN_UTIME = 13;
    private static final int CHILDREN_STIME = 14;
    private static final Pattern RESIDENT = Pattern.compile("VmRSS:\\s+(\\d+) kB");
    private static final Path MACHINE = Path.of("/proc/stat");

    /** The sum of these processes and all their descendants. */
    public static ProcessUsage of(List<Process> processes) throws IOException {
        double cpu = 0;
        long resident = 0;
        for (Process process : processes) {
            List<ProcessHandle> family = Stream.concat(Stream.of(process.toHandle()), process.descendants())
                    .toList();
            for (ProcessHandle each : family) {
                ProcessUsage used = of(each);
                cpu += used.cpuSeconds();
                resident += used.residentBytes();
            }
        }
        return new ProcessUsage(cpu, resident);
    }

    /** A process's own usage; nothing if it has ended and was waited for, as it then counts at its parent. */
    public static ProcessUsage of(ProcessHandle process) throws IOException {
        Optional<String> stat = read(process.pid(), "stat");
        Optional<String> status = read(process.pid(), "status");
        return new ProcessUsage(
                stat.map(ProcessUsage::cpuSeconds).orElse(0.0),
                status.map(ProcessUsage::residentBytes).orElse(0L));
    }

    /**
     * Whether a process is a zombie: it has ended and closed its files, but its parent has not waited for it; false
     * without such a process.
     */
    static boolean isZombie(long pid) throws IOException {
        return read(pid, "stat")
                .filter(stat -> stat.charAt(stat.lastIndexOf(')') + 2) == 'Z')
                .isPresent();
    }

    /** A file of {@code /proc/PID}; none without such a process. */
    private static Optional<String> read(long pid, String file) throws IOException {
        Path folder = Path.of("/proc", Long.toString(pid));
        try {
            return Optional.of(Files.readString(folder.resolve(file)));
        } catch (IOException e) {
            // ESRCH is no exception of its own: the process ended after its file was opened.
            if (Files.exists(folder)) {
                throw e;
            }
            return Optional.empty();
        }
    }

    /** The processor time of the whole machine, interrupts included: the cost of a path without a process. */
    public static double machineCpuSeconds() throws IOException {
        return machineCpuSeconds(Files.readString(MACHINE));
    }

    /** The processor time of the children that this process has waited for. */
    public static double endedChildrenSeconds() throws IOException {
        return seconds(Files.readString(Path.of("/proc/self/stat")), CHILDREN_UTIME);
    }

    /** Reads {@code /proc/PID/stat}. */
    static double cpuSeconds(String stat) {
        return seconds(stat, UTIME);
    }

    /** The sum of the fields from this one on; the second one of the file may contain spaces and parentheses. */
    private static double seconds(String stat, int from) {
        String[] fields = stat.substring(stat.lastIndexOf(')') + 2).split(" ", -1);
        long ticks = 0;
        for (int i = from; i <= CHILDREN_STIME; i++) {
            ticks += Long.parseLong(fields[i]);
        }
        return ticks / TICKS_PER_SECOND;
    }

    /** Reads {@code /proc/PID/status}; 0 for a process that is ending, which has no memory any more. */
    static long residentBytes(String status) {
        Matcher resident = RESIDENT.matcher(status);
        return resident.find() ? Long.parseLong(resident.group(1)) * 1024 : 0;
    }

    /**
     * Reads the first line of {@code /proc/stat}: user, nice, system, idle, iowait, irq, softirq, and steal, which is
     * not ours.
     */
    static double machineCpuSeconds(String stat) {
        String[] fields = stat.lines().findFirst().orElse("").trim().split("\\s+", -1);
        long ticks = 0;
        for (int i : new int[] {1, 2, 3, 6, 7}) {
            ticks += Long.parseLong(fields[i]);
        }
        return ticks / TICKS_PER_SECOND;
    }
}
