package dev.nodepath.emulator.kubelet;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/** Makes one try of a probe, or calls a lifecycle hook. Run it on a thread in the node's network namespace. */
final class Prober {
    /** The output of a command that a kubelet keeps. */
    private static final int OUTPUT_MAX = 10 * 1024;

    /**
     * The exit code of the script that enters a container, or 127, if the command cannot be executed; its output says
     * why.
     */
    private static final int NOT_EXECUTABLE = 126;

    private Prober() {}

    /**
     * Makes one try.
     *
     * @param pod the Pod's address
     * @param enter the script that enters the container
     * @return why it failed, in a kubelet's words; empty if it passed
     * @throws IllegalStateException if it cannot be tried; its message says why, in a kubelet's words
     */
    static Optional<String> problem(ProbeSpec.Action action, InetAddress pod, Path enter, Duration timeout) {
        if (action instanceof ProbeSpec.HttpGet http) {
            return HttpProbe.problem(http, pod, timeout);
        }
        if (action instanceof ProbeSpec.Grpc grpc) {
            return GrpcProbe.problem(grpc, pod, timeout);
        }
        if (action instanceof ProbeSpec.TcpConnect tcp) {
            return refused(new InetSocketAddress(ProbeSpec.host(tcp.host(), pod), tcp.port()), timeout);
        }
        if (action instanceof ProbeSpec.Unknown unknown) {
            throw new IllegalStateException(unknown.why());
        }
        return failed(((ProbeSpec.Exec) action).command(), enter, timeout);
    }

    /** Connects. A failure has a kubelet's message; a timeout stays a timeout. */
    static Socket connect(InetSocketAddress target, int millis) throws IOException {
        Socket socket = new Socket();
        try {
            socket.connect(target, millis);
            return socket;
        } catch (SocketTimeoutException e) {
            socket.close();
            throw e;
        } catch (IOException e) {
            socket.close();
            String why = e instanceof ConnectException ? "connection refused" : String.valueOf(e.getMessage());
            throw new IOException("dial tcp " + text(target) + ": connect: " + why, e);
        }
    }

    private static Optional<String> refused(InetSocketAddress target, Duration timeout) {
        try (Socket socket = connect(target, (int) timeout.toMillis())) {
            assert socket.isConnected();
            return Optional.empty();
        } catch (SocketTimeoutException e) {
            return Optional.of("dial tcp " + text(target) + ": i/o timeout");
        } catch (IOException e) {
            return Optional.of(String.valueOf(e.getMessage()));
        }
    }

    /** {@code HOST:PORT}. */
    static String text(InetSocketAddress target) {
        return target.getHostString() + ":" + target.getPort();
    }

    private static Optional<String> failed(List<String> command, Path enter, Duration timeout) {
        try {
            ShortCommand done = ShortCommand.inside(enter, command, new byte[0], timeout);
            if (done.exitCode() == 0) {
                return Optional.empty();
            }
            String output = done.output().strip();
            if (done.exitCode() >= NOT_EXECUTABLE && output.startsWith("exec: \"" + command.get(0) + "\": ")) {
                throw new IllegalStateException(output);
            }
            return Optional.of(
                    output.isEmpty()
                            ? "command \"" + String.join(" ", command) + "\" ended with exit code " + done.exitCode()
                            : output.substring(0, Math.min(output.length(), OUTPUT_MAX)));
        } catch (InterruptedIOException e) {
            return Optional.of("command timed out: \"" + String.join(" ", command) + "\" timed out after "
                    + timeout.toSeconds() + "s");
        } catch (IOException e) {
            throw new IllegalStateException(String.valueOf(e.getMessage()), e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return Optional.of("the node ends");
        }
    }
}
