package dev.nodepath.proxy.userspace;

import dev.nodepath.endpoints.Endpoint;
import dev.nodepath.linux.address.IpAddress;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;

/** A server behind the relay: a thread for each connection, which runs the test's session. */
public final class Backend implements AutoCloseable {
    private final ServerSocket listener;
    private final Session session;
    private final Set<Socket> sockets = ConcurrentHashMap.newKeySet();
    private final AtomicInteger connections = new AtomicInteger();

    /** The work on a connection; it is closed when this returns. */
    public interface Session {
        void run(Socket socket) throws Exception;
    }

    private Backend(ServerSocket listener, Session session) {
        this.listener = listener;
        this.session = session;
    }

    public static Backend start(Session session) throws IOException {
        return start(InetAddress.getLoopbackAddress(), 0, session);
    }

    public static Backend start(InetAddress address, int port, Session session) throws IOException {
        Backend backend = new Backend(new ServerSocket(port, 1024, address), session);
        daemon(backend::acceptAll);
        return backend;
    }

    /** Echoes its input to the end. */
    public static Backend echo() throws IOException {
        return start(socket -> socket.getInputStream().transferTo(socket.getOutputStream()));
    }

    /** Sends its name, and then echoes its input. */
    static Backend named(String name) throws IOException {
        return start(socket -> {
            socket.getOutputStream().write(name.getBytes(java.nio.charset.StandardCharsets.US_ASCII));
            socket.getInputStream().transferTo(socket.getOutputStream());
        });
    }

    /** An address that refuses connections. */
    public static Endpoint refusing() throws IOException {
        try (ServerSocket unused = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return endpoint(unused.getLocalPort());
        }
    }

    /** A listener that answers no connection: its backlog is full. */
    public static SilentBackend silent() throws IOException {
        return new SilentBackend();
    }

    public Endpoint endpoint() {
        return Endpoint.ready(IpAddress.of(listener.getInetAddress()), listener.getLocalPort(), "node-a");
    }

    int connections() {
        return connections.get();
    }

    /** Connections that are not closed yet. */
    int open() {
        return sockets.size();
    }

    private static Endpoint endpoint(int port) {
        return Endpoint.ready(IpAddress.of(InetAddress.getLoopbackAddress()), port, "node-a");
    }

    private void acceptAll() {
        try {
            while (true) {
                Socket socket = listener.accept();
                connections.incrementAndGet();
                sockets.add(socket);
                daemon(() -> serve(socket));
            }
        } catch (IOException e) {
            // Closed.
        }
    }

    private void serve(Socket socket) {
        try (socket) {
            session.run(socket);
        } catch (Exception e) {
            // The test looks at the client's side, or has taken note in the session.
        } finally {
            sockets.remove(socket);
        }
    }

    private static void daemon(Runnable task) {
        Thread thread = new Thread(task, "backend");
        thread.setDaemon(true);
        thread.start();
    }

    @Override
    public void close() throws IOException {
        listener.close();
        for (Socket socket : sockets) {
            socket.close();
        }
    }

    /** See {@link #silent}. */
    public static final class SilentBackend implements AutoCloseable {
        private final ServerSocket listener = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
        private final List<Socket> fillers = new ArrayList<>();

        SilentBackend() throws IOException {
            boolean full = false;
            while (!full) {
                Socket filler = new Socket();
                fillers.add(filler);
                try {
                    filler.connect(new InetSocketAddress(listener.getInetAddress(), listener.getLocalPort()), 1000);
                } catch (IOException e) {
                    full = true;
                }
            }
        }

        public Endpoint endpoint() {
            return Backend.endpoint(listener.getLocalPort());
        }

        /** Answers after all: takes every connection, and closes it. */
        void acceptAll() {
            daemon(() -> {
                try {
                    while (true) {
                        listener.accept().close();
                    }
                } catch (IOException e) {
                    // Closed.
                }
            });
        }

        @Override
        public void close() throws IOException {
            for (Socket filler : fillers) {
                filler.close();
            }
            listener.close();
        }
    }
}
