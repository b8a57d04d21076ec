package dev.nodepath.emulator.enclosure;

import dev.nodepath.agent.options.CommandException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;

/**
 * The user, mount, network and PID namespaces in which a whole emulated cluster lives, and the process in front of
 * them.
 *
 * <p>A shell is the first process of the PID namespace. It collects orphans, and ends after the cluster's process.
 * Then the kernel kills every process and removes every namespace, link and rule in it. The front holds the other end
 * of the standard input of the cluster's process. When the front dies, that process reads the end of input and ends
 * too. So nothing is left after a kill -9 of any of them.
 */
public final class Enclosure {
    /** The folder of the enclosure's files, in a file system that is removed with it. */
    public static final Path RUN = Path.of("/run/nodepath");

    private static final long STOP_SECONDS_MAX = 10;

    /** The exit codes after SIGINT and SIGTERM. */
    private static final Set<Integer> INTERRUPTED = Set.of(130, 143);

    private final JavaCommand java;
    private final Path script;

    Enclosure(JavaCommand java, Path script) {
        this.java = java;
        this.script = script;
    }

    /** The enclosure of this installation; its script is in the same folder as {@code scripts/nodepath}. */
    public static Enclosure ofThisProcess() throws CommandException {
        Path script = Installation.scripts().resolve("enclose");
        if (!Files.isExecutable(script)) {
            throw CommandException.failed(script + ": not found (expected: beside the nodepath script)");
        }
        return new Enclosure(JavaCommand.ofThisProcess(), script);
    }

    /** Runs a nodepath command inside with our output streams, and returns its exit code. */
    public int run(List<String> arguments) throws CommandException, IOException, InterruptedException {
        return run(arguments, () -> {});
    }

    /**
     * Runs a command in the enclosure, with an action for an interrupt.
     *
     * @param interrupted runs after a signal has ended this process or the command, once the enclosure is empty
     */
    public int run(List<String> arguments, Runnable interrupted)
            throws CommandException, IOException, InterruptedException {
        List<String> command = new ArrayList<>(List.of(script.toString()));
        command.addAll(java.forMeasurement(arguments));
        Process process = new ProcessBuilder(command)
                .redirectOutput(ProcessBuilder.Redirect.INHERIT)
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        Thread stop = new Thread(
                () -> {
                    stop(process);
                    interrupted.run();
                },
                "enclosure-stop");
        Runtime.getRuntime().addShutdownHook(stop);
        int exitCode = process.waitFor();
        if (INTERRUPTED.contains(exitCode) || isShuttingDown(stop)) {
            // A terminal's interrupt reaches both processes. Whichever process ends first, this one exits with the
            // signal's code and runs the action.
            return exitCode;
        }
        if (exitCode < 0 || exitCode > CommandException.WRONG_USAGE) {
            throw CommandException.failed("the enclosure ended with exit code " + exitCode
                    + " (expected: 0, 1 or 2; a number above 128 means that it was killed)");
        }
        return exitCode;
    }

    /** Whether this process is about to end: then the action cannot be withdrawn. */
    private static boolean isShuttingDown(Thread hook) {
        try {
            return !Runtime.getRuntime().removeShutdownHook(hook);
        } catch (IllegalStateException e) {
            return true;
        }
    }

    /**
     * Throws unless this process is the child of an enclosure's first process: an emulated cluster must never change
     * the host's namespace.
     */
    public static void requireInside() throws CommandException, IOException {
        String first = Files.readString(Path.of("/proc/1/cmdline"), StandardCharsets.ISO_8859_1);
        boolean isChild = ProcessHandle.current()
                .parent()
                .filter(parent -> parent.pid() == 1)
                .isPresent();
        if (!isChild || !List.of(first.split("\0", -1)).contains("enclose")) {
            throw CommandException.wrongUsage(List.of(
                    "not inside an enclosure (expected: 'nodepath compare', 'nodepath up' or 'nodepath bench')"));
        }
    }

    /**
     * Starts a nodepath command inside that outlives this process after {@link Lifeline#RELEASE}. Its output is a pipe
     * that the caller reads.
     *
     * @param folder must exist
     * @param lastWord the file in it that the command writes when it ends because memory is short
     */
    public Process startDetached(List<String> arguments, Path folder, String lastWord) throws IOException {
        List<String> command = new ArrayList<>(List.of("setsid"));
        command.add(script.toString());
        command.addAll(java.forCluster(arguments));
        ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true);
        builder.environment().put("NODEPATH_FOLDER", folder.toString());
        builder.environment().put("NODEPATH_LAST_WORD", lastWord);
        return builder.start();
    }

    private static void stop(Process process) {
        try {
            process.getOutputStream().close();
            if (!process.waitFor(STOP_SECONDS_MAX, TimeUnit.SECONDS)) {
                process.destroyForcibly();
            }
        } catch (IOException | InterruptedException e) {
            process.destroyForcibly();
        }
    }
}
