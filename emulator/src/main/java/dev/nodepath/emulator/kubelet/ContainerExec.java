package dev.nodepath.emulator.kubelet;

import dev.nodepath.apiserver.stream.ExecOptions;
import dev.nodepath.apiserver.stream.ExecOutput;
import dev.nodepath.apiserver.stream.ExecProcess;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.Consumer;

/** A command that a client runs in a container, in a terminal if the client asks for one. */
final class ContainerExec implements ExecProcess {
    private static final int BUFFER_BYTES = 16 * 1024;

    private final Process process;
    private final ProcessInput input;
    private final Terminal terminal;
    private volatile boolean gone;

    private ContainerExec(Process process) {
        this.process = process;
        this.input = new ProcessInput(process);
        this.terminal = new Terminal(process);
    }

    /**
     * Starts the command.
     *
     * @param enter the script that enters the container
     */
    static ContainerExec start(Path enter, ExecOptions options, ExecOutput output) throws IOException {
        List<String> command = new ArrayList<>(List.of(enter.toString()));
        command.addAll(options.command());
        Process process = (options.tty() ? Terminal.around(command) : new ProcessBuilder(command)).start();
        ContainerExec exec = new ContainerExec(process);
        if (!options.stdin()) {
            exec.closeStdin();
        }
        Thread errors = copy(process.getErrorStream(), output::stderr);
        Thread standard = copy(process.getInputStream(), output::stdout);
        Thread end = new Thread(() -> exec.awaitEnd(List.of(standard, errors), output), "exec-end");
        end.setDaemon(true);
        end.start();
        return exec;
    }

    @Override
    public void stdin(byte[] octets) {
        input.write(octets, () -> gone);
    }

    @Override
    public void closeStdin() {
        input.close();
    }

    @Override
    public void resize(int columns, int rows) {
        terminal.resize(columns, rows);
    }

    @Override
    public void close() {
        gone = true;
        input.wake();
        process.descendants().forEach(ProcessHandle::destroyForcibly);
        process.destroyForcibly();
    }

    private void awaitEnd(List<Thread> copies, ExecOutput output) {
        try {
            int code = process.waitFor();
            input.end();
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
}
