package dev.nodepath.emulator.kubelet;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;

/** A terminal for a command: {@code script} opens it, and {@code stty} tells it its size. */
public final class Terminal {
    private static final String DEVICES = "/dev/pts/";
    /** Runs the words in a file; each word ends with a NUL. */
    private static final String LINE = "exec bash -p -c '"
            + "mapfile -d \"\" -t words <\"$NODEPATH_WORDS\" && rm \"$NODEPATH_WORDS\""
            + " && unset NODEPATH_WORDS && exec \"${words[@]}\"'";

    private static final long LOOK_MILLIS = 20;
    private static final int SECONDS_MAX = 5;

    private final Process process;
    private final AtomicInteger sizes = new AtomicInteger();

    /**
     * The terminal of a command that was started.
     *
     * @param process of {@link #around}
     */
    Terminal(Process process) {
        this.process = process;
    }

    /**
     * A process that runs a command in a terminal of its own. It shares this process's input and output. {@code
     * script} takes a line of shell, so a file has the words of the command. The line deletes the file.
     */
    public static ProcessBuilder around(List<String> command) throws IOException {
        Path words = Files.createTempFile("words", "");
        Words.write(words, command);
        ProcessBuilder builder =
                new ProcessBuilder("script", "--quiet", "--return", "--flush", "--command", LINE, "/dev/null");
        builder.environment().put("SHELL", "/bin/sh");
        builder.environment().put("NODEPATH_WORDS", words.toString());
        builder.environment().put("TERM", "xterm");
        return builder.redirectErrorStream(true);
    }

    /** Sets its size, in the background: the command may not have begun yet. A newer size comes before an older one. */
    void resize(int columns, int rows) {
        int number = sizes.incrementAndGet();
        Thread thread = new Thread(() -> setSize(number, columns, rows), "terminal-size");
        thread.setDaemon(true);
        thread.start();
    }

    private void setSize(int number, int columns, int rows) {
        try {
            while (process.isAlive() && sizes.get() == number) {
                Optional<Path> device = device();
                if (device.isPresent()) {
                    stty(device.get(), columns, rows);
                    return;
                }
                Thread.sleep(LOOK_MILLIS);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (IOException e) {
            // It has ended, so its size no longer matters.
            return;
        }
    }

    /** The terminal is the input of the command, not that of {@code script}. */
    private Optional<Path> device() {
        return process.descendants()
                .map(each -> Path.of("/proc", String.valueOf(each.pid()), "fd", "0"))
                .filter(Terminal::isTerminal)
                .findFirst();
    }

    /**
     * Whether the input, output and errors of this process are a person's terminal, and the process is in its
     * foreground.
     */
    public static boolean isHere() {
        return Stream.of("0", "1", "2").allMatch(each -> isTerminal(Path.of("/proc/self/fd", each)))
                && isInForeground();
    }

    /** Whether this process may read its input: the kernel stops a background process that reads a terminal. */
    public static boolean givesInput() {
        return !isTerminal(Path.of("/proc/self/fd/0")) || isInForeground();
    }

    /** The kernel stops a background process that changes a terminal (proc(5): pgrp and tpgid). */
    private static boolean isInForeground() {
        try {
            String stat = Files.readString(Path.of("/proc/self/stat"));
            String[] fields = stat.substring(stat.lastIndexOf(')') + 2).split(" ", -1);
            return fields[2].equals(fields[5]);
        } catch (IOException e) {
            return false;
        }
    }

    private static boolean isTerminal(Path input) {
        try {
            String device = Files.readSymbolicLink(input).toString();
            return device.startsWith(DEVICES) || device.startsWith("/dev/tty") || device.equals("/dev/console");
        } catch (IOException e) {
            return false;
        }
    }

    private static void stty(Path device, int columns, int rows) throws IOException, InterruptedException {
        Process stty = new ProcessBuilder(
                        "stty", "-F", device.toString(), "cols", String.valueOf(columns), "rows", String.valueOf(rows))
                .redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                .start();
        if (!stty.waitFor(SECONDS_MAX, TimeUnit.SECONDS)) {
            stty.destroyForcibly();
        }
    }
}
