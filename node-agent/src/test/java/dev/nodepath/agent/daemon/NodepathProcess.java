package dev.nodepath.agent.daemon;

import static org.assertj.core.api.Assertions.assertThat;

import dev.nodepath.linux.BuiltNodepath;
import dev.nodepath.linux.Eventually;
import dev.nodepath.linux.iptables.IptablesNamespace;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;

/** {@code nodepath} as a process in a namespace of a test. */
final class NodepathProcess implements AutoCloseable {
    /** How long a condition may take; longer on a machine that is emulated in software. */
    static final int LIMIT_SECONDS = Integer.getInteger("nodepath.test.limitSeconds", 300);

    /**
     * As an argument: the agent has its own {@code --oom-score-adj}. Otherwise it has 0, so that the kernel ends it
     * before programs from before the test.
     */
    static final String DEFAULT_OOM_SCORE = "(default oom score)";

    /** As scripts/nodepath has them for a proxy. */
    private static final List<String> JVM_OPTIONS = List.of(
            "-XX:+ExitOnOutOfMemoryError",
            "-Xms16m",
            "-XX:MaxNewSize=24m",
            "-XX:MinHeapFreeRatio=10",
            "-XX:MaxHeapFreeRatio=20");

    private final Process process;
    private final Path log;

    private NodepathProcess(Process process, Path log) {
        this.process = process;
        this.log = log;
    }

    /**
     * Starts an agent whose folders are below {@code folder}; its log is the file of this name there.
     *
     * @param launcher the words before its command
     */
    static NodepathProcess agent(List<String> launcher, Path folder, String name, List<String> arguments)
            throws IOException {
        List<String> command = new ArrayList<>(List.of(
                "agent",
                "--install-dir=" + folder.resolve("opt"),
                "--cni-bin-dir=" + folder.resolve("bin"),
                "--cni-conf-dir=" + folder.resolve("net.d"),
                "--cni-socket=" + socket(folder)));
        if (!arguments.contains(DEFAULT_OOM_SCORE)) {
            command.add("--oom-score-adj=0");
        }
        arguments.stream().filter(word -> !word.equals(DEFAULT_OOM_SCORE)).forEach(command::add);
        return start(
                launcher,
                folder.resolve(name + ".log"),
                List.of("-Dnodepath.scripts=" + folder.resolve("image/bin")),
                command);
    }

    /** Starts {@code nodepath proxy}; its log is this file. */
    static NodepathProcess proxy(List<String> launcher, Path log, List<String> arguments) throws IOException {
        List<String> command = new ArrayList<>(List.of("proxy"));
        command.addAll(arguments);
        if (arguments.stream().noneMatch(word -> word.startsWith("--config="))) {
            // The kernel may end it before programs from before the test.
            command.add("--oom-score-adj=0");
        }
        return start(launcher, log, List.of(), command);
    }

    private static NodepathProcess start(
            List<String> launcher, Path log, List<String> properties, List<String> arguments) throws IOException {
        List<String> options = new ArrayList<>(JVM_OPTIONS);
        options.addAll(properties);
        List<String> command = new ArrayList<>(launcher);
        command.addAll(BuiltNodepath.command(options));
        command.addAll(arguments);
        ProcessBuilder builder =
                new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(log.toFile());
        builder.environment().putAll(Map.of("NODE_NAME", "n1"));
        return new NodepathProcess(builder.start(), log);
    }

    static Path socket(Path folder) {
        return folder.resolve("run/cni.sock");
    }

    long pid() {
        return process.pid();
    }

    String log() throws IOException {
        return Files.readString(log);
    }

    void awaitLog(String event) {
        await(() -> log().contains(event));
    }

    /** How many syncs the proxy of this namespace has made, of both families together. */
    static int syncs(IptablesNamespace namespace) throws IOException {
        return namespace
                .run("curl", "-sf", "http://127.0.0.1:10249/metrics")
                .lines()
                .filter(line -> line.startsWith("kubeproxy_sync_proxy_rules_duration_seconds_count"))
                .mapToInt(line -> (int) Double.parseDouble(line.substring(line.lastIndexOf(' ') + 1)))
                .sum();
    }

    /** Waits for a condition as long as the process lives. */
    void await(Callable<Boolean> condition) {
        Eventually.isTrue(Duration.ofSeconds(LIMIT_SECONDS), this::log, () -> {
            boolean holds = condition.call();
            assertThat(holds || process.isAlive()).as(log()).isTrue();
            return holds;
        });
    }

    /** As {@code kill -9}. */
    void kill() throws InterruptedException {
        process.destroyForcibly().waitFor();
    }

    /** As {@code kill -15}. */
    void destroy() {
        process.destroy();
    }

    /** As a kubelet ends a container. */
    int terminate() throws InterruptedException, IOException {
        destroy();
        return exitCode();
    }

    int exitCode() throws InterruptedException, IOException {
        if (!process.waitFor(LIMIT_SECONDS, TimeUnit.SECONDS)) {
            logThreads();
            throw new AssertionError("not ended after " + LIMIT_SECONDS + " s: " + log());
        }
        return process.exitValue();
    }

    /** The JVM writes the stacks of its threads to its output, which is the log. */
    private void logThreads() throws InterruptedException, IOException {
        new ProcessBuilder("kill", "-QUIT", String.valueOf(pid())).start().waitFor();
        awaitLog("JNI global refs");
    }

    boolean isAlive() {
        return process.isAlive();
    }

    @Override
    public void close() {
        process.destroyForcibly().onExit().join();
    }
}
