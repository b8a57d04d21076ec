package dev.nodepath.emulator.kubelet;

import dev.nodepath.apiserver.stream.ExecOptions;
import dev.nodepath.apiserver.stream.ExecOutput;
import dev.nodepath.apiserver.stream.ExecProcess;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.Consumer;
import java.util.stream.Collectors;

/**
 * A command that a client runs in a container. For a terminal it runs below {@code script}, which opens one; its size is
 * set once, as the client says it before the command starts to draw.
 */
final class ContainerExec implements ExecProcess {
    private static final int BUFFER_BYTES = 16 * 1024;

    private final Process process;

    private ContainerExec(Process process) {
        this.process = process;
    }

    /**
     * Starts it.
     *
     * @param enter the script that enters the container
     */
    static ContainerExec start(Path enter, ExecOptions options, ExecOutput output) throws IOException {
        List<String> command = new ArrayList<>();
        command.add(enter.toString());
        if (options.tty()) {
            String line = options.command().stream().map(ContainerExec::quoted).collect(Collectors.joining(" "));
            command.addAll(List.of("script", "--quiet", "--return", "--flush", "--command", line, "/dev/null"));
        } else {
            command.addAll(options.command());
        }
        ProcessBuilder builder = new ProcessBuilder(command);
        builder.environment().put("SHELL", "/bin/sh");
        if (options.tty()) {
            builder.environment().putIfAbsent("TERM", "xterm");
            builder.redirectErrorStream(true);
        }
        Process process = builder.start();
        ContainerExec exec = new ContainerExec(process);
        if (!options.stdin()) {
            exec.closeStdin();
        }
        Thread errors = copy(process.getErrorStream(), output::stderr);
        Thread standard = copy(process.getInputStream(), output::stdout);
        Thread end = new Thread(() -> awaitEnd(process, List.of(standard, errors), output), "exec-end");
        end.setDaemon(true);
        end.start();
        return exec;
    }

    @Override
    public void stdin(byte[] octets) {
        try {
            OutputStream input = process.getOutputStream();
            input.write(octets);
            input.flush();
        } catch (IOException e) {
            // The command reads no further; its end says why.
            return;
        }
    }

    @Override
    public void closeStdin() {
        try {
            process.getOutputStream().close();
        } catch (IOException e) {
            // It has ended.
            return;
        }
    }

    @Override
    public void resize(int columns, int rows) {
        // The terminal belongs to another process, which takes no size from us.
    }

    @Override
    public void close() {
        process.descendants().forEach(ProcessHandle::destroyForcibly);
        process.destroyForcibly();
    }

    private static void awaitEnd(Process process, List<Thread> copies, ExecOutput output) {
        try {
            int code = process.waitFor();
            for (Thread copy : copies) {
                copy.join();
            }
            output.exited(code);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            output.failed("the cluster ends");
        }
    }

    private static Thread copy(InputStream from, Consumer<byte[]> to) {
        Thread thread = new Thread(
                () -> {
                    byte[] buffer = new byte[BUFFER_BYTES];
                    try (from) {
                        for (int read = from.read(buffer); read >= 0; read = from.read(buffer)) {
                            to.accept(Arrays.copyOf(buffer, read));
                        }
                    } catch (IOException e) {
                        // The command was ended while it wrote.
                        return;
                    }
                },
                "exec-output");
        thread.setDaemon(true);
        thread.start();
        return thread;
    }

    private static String quoted(String word) {
        return "'" + word.replace("'", "'\\''") + "'";
    }
}
