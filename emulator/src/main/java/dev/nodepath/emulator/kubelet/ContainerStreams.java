package dev.nodepath.emulator.kubelet;

import dev.nodepath.apiserver.stream.ExecOptions;
import dev.nodepath.apiserver.stream.ExecOutput;
import dev.nodepath.apiserver.stream.ExecProcess;
import java.io.ByteArrayOutputStream;
import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.TimeUnit;

/**
 * The input and output of a container's process. Its log gets all of the output; clients get the output that comes
 * while they are attached. If the container waits for input, the first client also gets the earlier output: such a
 * client usually attaches a moment after the start, or after the end. A slow client is dropped, so that it holds up
 * neither the container nor other clients.
 */
final class ContainerStreams {
    /** The most pieces of output that wait for a client. */
    private static final int WAITING_MAX = 64;

    /** A client that reads nothing for so long is dropped. */
    private static final long SLOW_MAX_SECONDS = 5;

    /** In bytes: the most output that waits for the first client. Older output is dropped. */
    private static final int KEPT_MAX = 64 * 1024;

    /** Follows the last piece. */
    private static final byte[] END = {};

    private final Process process;
    private final Console console;
    private final ProcessInput input;
    private final Terminal terminal;
    private final Set<Client> clients = new HashSet<>();
    private ByteArrayOutputStream kept = new ByteArrayOutputStream();
    private boolean keeps;
    private boolean ended;

    ContainerStreams(Process process, Console console) {
        this.process = process;
        this.console = console;
        this.input = new ProcessInput(process);
        this.terminal = new Terminal(process);
        this.keeps = console.stdin();
        if (!console.stdin() && !console.tty()) {
            // The input is a pipe that has ended, not /dev/null: a process with that file open could change its mode.
            input.close();
        }
    }

    /** The process' output, for its log. Each read also passes the output on to the clients. */
    InputStream output() {
        return new FilterInputStream(process.getInputStream()) {
            @Override
            public int read(byte[] buffer, int offset, int length) throws IOException {
                int read = super.read(buffer, offset, length);
                if (read > 0) {
                    byte[] octets = Arrays.copyOfRange(buffer, offset, offset + read);
                    readers(octets).forEach(client -> client.pass(octets));
                }
                return read;
            }
        };
    }

    /** The clients that get this output. Without clients the output may be kept. */
    private synchronized List<Client> readers(byte[] octets) {
        if (keeps) {
            kept.writeBytes(octets);
            // Only at twice the limit: a copy after each line of output would cost much more than the line.
            if (kept.size() > 2 * KEPT_MAX) {
                byte[] last = lastKept();
                kept.reset();
                kept.writeBytes(last);
            }
        }
        return List.copyOf(clients);
    }

    private byte[] lastKept() {
        byte[] all = kept.toByteArray();
        return Arrays.copyOfRange(all, Math.max(0, all.length - KEPT_MAX), all.length);
    }

    /** The process has ended. */
    void end() {
        List<Client> last;
        synchronized (this) {
            ended = true;
            last = List.copyOf(clients);
            clients.clear();
        }
        input.end();
        last.forEach(client -> client.pass(END));
    }

    /**
     * Attaches a client. After the end of the process only the first client is attached, and gets the kept output.
     *
     * @return the client; empty if nothing is left to attach to
     */
    Optional<ExecProcess> attach(ExecOptions options, ExecOutput output) {
        Client client = new Client(options, output);
        synchronized (this) {
            if (ended && !keeps) {
                return Optional.empty();
            }
            if (kept.size() > 0) {
                client.pass(lastKept());
            }
            kept = new ByteArrayOutputStream();
            keeps = false;
            if (ended) {
                client.pass(END);
            } else {
                clients.add(client);
            }
        }
        Thread writer = new Thread(client::write, "attached");
        writer.setDaemon(true);
        writer.start();
        return Optional.of(client);
    }

    private synchronized void drop(Client client) {
        clients.remove(client);
    }

    /** A client of the container. The container does not depend on it. */
    private final class Client implements ExecProcess {
        private final ExecOptions options;
        private final ExecOutput output;
        private volatile boolean gone;
        private final BlockingQueue<byte[]> waiting = new ArrayBlockingQueue<>(WAITING_MAX);

        private Client(ExecOptions options, ExecOutput output) {
            this.options = options;
            this.output = output;
        }

        private void pass(byte[] octets) {
            try {
                if (!waiting.offer(octets, SLOW_MAX_SECONDS, TimeUnit.SECONDS)) {
                    drop(this);
                    waiting.clear();
                    waiting.offer(END);
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }

        private void write() {
            try {
                for (byte[] octets = waiting.take(); octets != END; octets = waiting.take()) {
                    output.stdout(octets);
                }
                // The exit code of the container is in the Pod's status.
                output.exited(0);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }

        @Override
        public void stdin(byte[] octets) {
            if (console.stdin() && options.stdin()) {
                input.write(octets, () -> gone);
            }
        }

        @Override
        public void closeStdin() {
            if (console.once() && options.stdin()) {
                input.close();
            }
        }

        @Override
        public void resize(int columns, int rows) {
            if (console.tty()) {
                terminal.resize(columns, rows);
            }
        }

        @Override
        public void close() {
            gone = true;
            input.wake();
            drop(this);
            waiting.clear();
            pass(END);
            closeStdin();
        }
    }
}
