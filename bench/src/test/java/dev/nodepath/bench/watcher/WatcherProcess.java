package dev.nodepath.bench.watcher;

import static org.assertj.core.api.Assertions.assertThat;

import dev.nodepath.linux.Eventually;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.concurrent.locks.LockSupport;

/** A {@link Watcher} on one core, and its output. */
final class WatcherProcess implements AutoCloseable {
    private static final int BASE_PORT = 8080;

    private final Process process;
    private final BufferedReader out;
    private final PrintStream in;
    private final Map<String, Long> values = new HashMap<>();
    private final Seen seen = new Seen();
    private int version;

    /** When each version of each slice was published. */
    static final class Seen {
        private final Map<Integer, TreeMap<Integer, Long>> versions = new HashMap<>();

        long whenAtLeast(int slice, int version) {
            return Objects.requireNonNull(versions.get(slice))
                    .ceilingEntry(version)
                    .getValue();
        }

        private void add(int slice, int version, long nanos) {
            TreeMap<Integer, Long> known = versions.computeIfAbsent(slice, key -> new TreeMap<>());
            assertThat(known.isEmpty() || known.lastKey() < version)
                    .as("slice %s: %s after %s", slice, version, known)
                    .isTrue();
            known.put(version, nanos);
        }

        private boolean has(Map<Integer, Integer> last) {
            return last.entrySet().stream()
                    .allMatch(entry -> versions.containsKey(entry.getKey())
                            && versions.get(entry.getKey()).lastKey() >= entry.getValue());
        }
    }

    /** Starts it and waits until it has listed. */
    WatcherProcess(String url) throws IOException {
        process = new ProcessBuilder(List.of(
                        "taskset",
                        "-c",
                        "0",
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-Xmx1g",
                        "-XX:+UseSerialGC",
                        "-XX:-UsePerfData",
                        "-cp",
                        System.getProperty("surefire.test.class.path", System.getProperty("java.class.path")),
                        Watcher.class.getName(),
                        url))
                .redirectError(ProcessBuilder.Redirect.DISCARD)
                .start();
        out = new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
        in = new PrintStream(process.getOutputStream(), true, StandardCharsets.UTF_8);
        readUntil("ready");
    }

    int nextVersion() {
        return ++version;
    }

    int version() {
        return version;
    }

    long value(String name) throws IOException {
        if (name.equals("cpu_nanos")) {
            ask();
        }
        return Objects.requireNonNull(values.get(name));
    }

    /** Everything seen, once that includes these versions. */
    Seen seenUntil(Map<Integer, Integer> last) {
        Eventually.isTrue("every change is published", () -> {
            // Seldom: each answer costs the watcher processor time, which is measured.
            LockSupport.parkNanos(10_000_000);
            ask();
            return seen.has(last);
        });
        return seen;
    }

    private void ask() throws IOException {
        in.println();
        readUntil("cpu_nanos");
    }

    private void readUntil(String name) throws IOException {
        values.remove(name);
        while (!values.containsKey(name)) {
            String line = out.readLine();
            assertThat(line).as("the watcher goes on").isNotNull();
            String[] words = line.split(" ", -1);
            if (words[0].equals("seen")) {
                int slice = Integer.parseInt(words[2].substring("service-".length()));
                seen.add(slice, Integer.parseInt(words[3]) - BASE_PORT, Long.parseLong(words[1]));
            } else {
                values.put(words[0], Long.parseLong(words[1]));
            }
        }
    }

    @Override
    public void close() throws IOException {
        in.close();
        try {
            process.waitFor();
        } catch (InterruptedException e) {
            process.destroyForcibly();
            Thread.currentThread().interrupt();
        }
    }
}
