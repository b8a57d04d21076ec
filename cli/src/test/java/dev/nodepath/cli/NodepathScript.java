package dev.nodepath.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.nodepath.agent.options.ClusterName;
import dev.nodepath.agent.options.CommandException;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import picocli.CommandLine;

/** Runs the scripts of the checkout as a person would: a process, its output, its exit code. */
final class NodepathScript {
    private static final Path SCRIPTS = Path.of(System.getProperty("nodepath.home"), "scripts");
    private static final long SECONDS_MAX = 900;
    /**
     * Every process that a script of this test run started has it in its environment, including those inside an
     * enclosure.
     */
    private static final String MARK = "NODEPATH_TEST_RUN";

    private static final String RUN = UUID.randomUUID().toString();

    /** The result of a command. */
    record Result(int exitCode, String output) {}

    private final Path folder;
    private final Path scripts;
    private final List<String> prefix;

    /** Output files go to the folder. */
    NodepathScript(Path folder) {
        this(folder, SCRIPTS, List.of());
    }

    /** The prefix is a command that runs the script, such as setpriv. */
    NodepathScript(Path folder, Path scripts, List<String> prefix) {
        this.folder = folder;
        this.scripts = scripts;
        this.prefix = List.copyOf(prefix);
    }

    /** As on a machine without a cluster: {@code /run} has none of this namespace's files. */
    NodepathScript elsewhere() {
        List<String> hidden =
                List.of("unshare", "--mount", "sh", "-c", "mount -t tmpfs tmpfs /run && exec \"$@\"", "elsewhere");
        return new NodepathScript(folder, scripts, hidden);
    }

    /** Starts a cluster with these arguments of {@code up}. */
    static NodepathScript up(Path folder, String... arguments) throws IOException, InterruptedException {
        NodepathScript script = new NodepathScript(folder);
        Result up =
                script.run(Stream.concat(Stream.of("up"), Stream.of(arguments)).toArray(String[]::new));
        assertThat(up.exitCode()).as(up.output()).isZero();
        return script;
    }

    /** The program's name in hints: the path that this class uses. */
    String program() {
        return scripts.resolve("nodepath").toString();
    }

    /** Ends the cluster. None of its processes is left. */
    void down() throws IOException, InterruptedException {
        run("down");
        assertThat(clusterProcesses()).isEmpty();
    }

    Result run(String... arguments) throws IOException, InterruptedException {
        Path output = Files.createTempFile(folder, "output", ".txt");
        return ended(List.of(arguments), start(output, arguments), output);
    }

    /**
     * The output of a command about the running cluster, without a JVM of its own, which would take half a second of a
     * processor: for tests about the cluster, not about the command's process.
     */
    Result ask(String... arguments) throws IOException, InterruptedException {
        try {
            ClusterFiles files = ClusterFiles.of(new ClusterName());
            List<String> words = List.of(arguments);
            if (words.get(0).equals(KubectlCommand.NAME)) {
                files.requireRunning();
                return run(KubectlCommand.at(files, words.subList(1, words.size())));
            }
            if (words.get(0).equals("exec")) {
                int at = words.get(1).equals("-c") ? 3 : 1;
                Optional<String> container = at == 3 ? Optional.of(words.get(2)) : Optional.empty();
                assertThat(words.get(at + 1)).as("%s", words).isEqualTo("--");
                return run(ExecCommand.inside(
                        files.requireRunning(), words.get(at), container, words.subList(at + 2, words.size())));
            }
        } catch (CommandException e) {
            return new Result(e.exitCode(), String.join("\n", e.lines()) + "\n");
        }
        StringWriter output = new StringWriter();
        CommandLine command = Nodepath.commandLineFor(arguments);
        command.setOut(new PrintWriter(output, true));
        command.setErr(new PrintWriter(output, true));
        return new Result(command.execute(arguments), output.toString());
    }

    private Result run(ProcessBuilder builder) throws IOException, InterruptedException {
        Path output = Files.createTempFile(folder, "output", ".txt");
        builder.environment().put(MARK, RUN);
        Process process = builder.directory(folder.toFile())
                .redirectInput(ProcessBuilder.Redirect.PIPE)
                .redirectErrorStream(true)
                .redirectOutput(output.toFile())
                .start();
        return ended(builder.command(), process, output);
    }

    private static Result ended(List<String> command, Process process, Path output)
            throws IOException, InterruptedException {
        if (!process.waitFor(SECONDS_MAX, TimeUnit.SECONDS)) {
            process.destroyForcibly();
            throw new IOException(command + " did not end: " + Files.readString(output));
        }
        return new Result(process.exitValue(), Files.readString(output));
    }

    /**
     * Runs a line of a page as a reader types it.
     *
     * @param folder for its output
     * @param home where it is typed
     */
    static Result runLine(Path folder, Path home, String line) throws IOException, InterruptedException {
        Path output = Files.createTempFile(folder, "output", ".txt");
        ProcessBuilder builder = new ProcessBuilder("bash", "-c", line);
        builder.environment().put(MARK, RUN);
        Process process = builder.directory(home.toFile())
                .redirectErrorStream(true)
                .redirectOutput(output.toFile())
                .start();
        return ended(List.of(line), process, output);
    }

    /** Starts {@code nodepath} with its output going to a file. */
    Process start(Path output, String... arguments) throws IOException {
        List<String> command = new ArrayList<>(prefix);
        command.add(scripts.resolve("nodepath").toString());
        command.addAll(List.of(arguments));
        // A test run in the background of a shell ignores interrupts, and so would all that it starts.
        command.addAll(0, List.of("env", "--default-signal=INT"));
        ProcessBuilder builder = new ProcessBuilder(command);
        builder.environment().put(MARK, RUN);
        return builder.directory(folder.toFile())
                .redirectErrorStream(true)
                .redirectOutput(output.toFile())
                .start();
    }

    /** The links, addresses, routes, rules and settings of the namespace that the tests run in. */
    static String hostState() throws IOException, InterruptedException {
        Process process = new ProcessBuilder(SCRIPTS.resolve("net-state").toString())
                .redirectError(ProcessBuilder.Redirect.DISCARD)
                .start();
        String state = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        process.waitFor();
        return state;
    }

    /**
     * The command lines of all processes that the scripts of this test run have left: a cluster's own, its agents',
     * its pods'. Those of other runs and users are ignored.
     */
    static List<String> clusterProcesses() throws IOException {
        try (Stream<Path> processes = Files.list(Path.of("/proc"))) {
            return processes
                    .map(process -> process.getFileName().toString())
                    .filter(NodepathScript::isOurs)
                    .map(NodepathScript::commandLine)
                    .filter(command -> !command.isEmpty())
                    .toList();
        }
    }

    /**
     * Whether a script of this test run, or one of its descendants, started a process. The environment of a container
     * has no mark, but its parent has one.
     */
    static boolean isOurs(String pid) {
        try {
            return Files.readString(Path.of("/proc", pid, "environ"), StandardCharsets.ISO_8859_1)
                            .contains(MARK + "=" + RUN)
                    || ProcessHandle.of(Long.parseLong(pid))
                            .flatMap(ProcessHandle::parent)
                            .map(parent -> isOurs(String.valueOf(parent.pid())))
                            .orElse(false);
        } catch (IOException | NumberFormatException e) {
            // Another user's process, an ended one, or no process.
            return false;
        }
    }

    /** The whole command line: {@link ProcessHandle} cuts it off after a page. Empty if there is no such process. */
    static String commandLine(String pid) {
        try {
            return Files.readString(Path.of("/proc", pid, "cmdline"), StandardCharsets.ISO_8859_1)
                    .replace('\0', ' ');
        } catch (IOException e) {
            return "";
        }
    }
}
