package dev.nodepath.emulator.cluster;

import dev.nodepath.linux.address.IpAddress;
import dev.nodepath.linux.io.Descriptor;
import dev.nodepath.linux.io.ListeningSocket;
import dev.nodepath.linux.io.UnixConnection;
import dev.nodepath.linux.io.UnixListener;
import dev.nodepath.linux.syscall.LinuxNetException;
import dev.nodepath.linux.syscall.Syscalls;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Lets a server be reached from outside the enclosure. A process outside opens a listening socket and sends it through
 * a unix socket; the server accepts on it from then on. So no process in between copies bytes, and the socket closes
 * with the cluster.
 */
public final class ForwardedSockets implements AutoCloseable {
    /** The unix socket of the API server: its name below the cluster's folder. */
    public static final String API = "forward.sock";

    private static final Logger LOG = LoggerFactory.getLogger(ForwardedSockets.class);
    /** A cluster that has just started on a busy machine may be slow. */
    private static final Duration ANSWER_MAX = Duration.ofSeconds(30);

    private static final byte[] HELLO = {'!'};
    private static final int BACKLOG = 4;

    private final UnixListener listener;
    private final Receiver receiver;

    /** A server that accepts on a forwarded socket. */
    public interface Receiver {
        /** Takes a descriptor of a socket that listens; it is the receiver's from now on. */
        void listen(int descriptor) throws IOException;
    }

    private ForwardedSockets(UnixListener listener, Receiver receiver) {
        this.listener = listener;
        this.receiver = receiver;
    }

    /**
     * Waits for sockets in the background.
     *
     * @param path of the unix socket that they are sent to
     */
    public static ForwardedSockets receive(Path path, Receiver receiver) throws IOException {
        ForwardedSockets sockets = new ForwardedSockets(UnixListener.open(Syscalls.load(), path, BACKLOG), receiver);
        Thread thread = new Thread(sockets::run, "forwarded-sockets");
        thread.setDaemon(true);
        thread.start();
        return sockets;
    }

    /**
     * Opens a socket at the first free port and sends it to a cluster.
     *
     * @param path of the receiver's unix socket, as this process sees it
     * @param address of this machine
     * @param firstPort the first to try
     * @param lastPort the last to try
     * @return the port
     */
    public static int send(Path path, IpAddress address, int firstPort, int lastPort) throws IOException {
        Syscalls syscalls = Syscalls.load();
        for (int port = firstPort; port <= lastPort; port++) {
            Optional<Descriptor> socket = ListeningSocket.open(syscalls, address, port);
            if (socket.isPresent()) {
                try (Descriptor opened = socket.get();
                        UnixConnection connection = UnixConnection.connect(syscalls, path)) {
                    connection.setTimeout(ANSWER_MAX);
                    connection.send(HELLO, Optional.of(opened));
                    connection.receive(1);
                    return port;
                }
            }
        }
        String ports = firstPort == lastPort ? "port " + firstPort : "ports " + firstPort + " to " + lastPort;
        throw new IOException(ports + " of " + address + ": taken (expected: a free one)");
    }

    private void run() {
        while (true) {
            try (UnixConnection connection = listener.accept()) {
                connection.setTimeout(ANSWER_MAX);
                Optional<UnixConnection.Message> message = connection.receive(1);
                if (message.isPresent() && message.get().descriptor().isPresent()) {
                    receiver.listen(message.get().descriptor().get().number());
                    connection.send(HELLO, Optional.empty());
                }
            } catch (LinuxNetException e) {
                return;
            } catch (IOException e) {
                LOG.atError().addKeyValue("problem", e.getMessage()).log("forward.failed");
            }
        }
    }

    @Override
    public void close() {
        listener.stop();
    }
}
