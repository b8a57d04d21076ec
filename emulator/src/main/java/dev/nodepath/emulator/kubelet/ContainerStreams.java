package dev.nodepath.emulator.kubelet;

import dev.nodepath.apiserver.stream.ExecOptions;
import dev.nodepath.apiserver.stream.ExecOutput;
import dev.nodepath.apiserver.stream.ExecProcess;
import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** The input and output of a container's process. Its log gets all of the output, and clients what comes while they are there. */
final class ContainerStreams {
    private final Process process;
    private final Console console;
    private final Terminal terminal;
    private final Set<ExecOutput> clients = new HashSet<>();
    private boolean ended;

    ContainerStreams(Process process, Console console) {
        this.process = process;
        this.console = console;
        this.terminal = new Terminal(process);
    }

    /** The process' output, for its log. Whoever reads it passes it on to the clients, and waits for a slow one. */
    InputStream output() {
        return new FilterInputStream(process.getInputStream()) {
            @Override
            public int read(byte[] buffer, int offset, int length) throws IOException {
                int read = super.read(buffer, offset, length);
                if (read > 0) {
                    byte[] octets = Arrays.copyOfRange(buffer, offset, offset + read);
                    clients().forEach(client -> client.stdout(octets));
                }
                return read;
            }
        };
    }

    private synchronized List<ExecOutput> clients() {
        return List.copyOf(clients);
    }

    /** The process has ended. */
    void end() {
        List<ExecOutput> last;
        synchronized (this) {
            ended = true;
            last = clients();
            clients.clear();
        }
        // Its exit code is in the Pod's status.
        last.forEach(client -> client.exited(0));
    }

    /** A client is there from now on. */
    ExecProcess attach(ExecOptions options, ExecOutput output) {
        synchronized (this) {
            if (!ended) {
                clients.add(output);
                return new Client(options, output);
            }
        }
        output.exited(0);
        return new Client(options, output);
    }

    /** A client of the container. The container goes on without it. */
    private final class Client implements ExecProcess {
        private final ExecOptions options;
        private final ExecOutput output;

        private Client(ExecOptions options, ExecOutput output) {
            this.options = options;
            this.output = output;
        }

        @Override
        public void stdin(byte[] octets) {
            if (!console.stdin() || !options.stdin()) {
                return;
            }
            try {
                OutputStream input = process.getOutputStream();
                input.write(octets);
                input.flush();
            } catch (IOException e) {
                // It has ended, or reads no further.
                return;
            }
        }

        @Override
        public void closeStdin() {
            if (!console.once() || !options.stdin()) {
                return;
            }
            try {
                process.getOutputStream().close();
            } catch (IOException e) {
                // It has ended.
                return;
            }
        }

        @Override
        public void resize(int columns, int rows) {
            terminal.resize(columns, rows);
        }

        @Override
        public void close() {
            closeStdin();
            synchronized (ContainerStreams.this) {
                clients.remove(output);
            }
        }
    }
}
