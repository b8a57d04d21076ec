package dev.nodepath.endpoints.source.kubernetes;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/** Stands before a server on loopback, passes octets on, and counts connections. */
final class CountedConnections implements AutoCloseable {
    private final ServerSocket door;
    private final int behind;
    private final List<Socket> accepted = new CopyOnWriteArrayList<>();
    private final List<Socket> opened = new CopyOnWriteArrayList<>();

    /** Listens for the server of this port. */
    CountedConnections(int port) throws IOException {
        behind = port;
        door = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        start(this::accept);
    }

    String url() {
        return "http://127.0.0.1:" + door.getLocalPort();
    }

    /** How many connections there have been. */
    int count() {
        return accepted.size();
    }

    @Override
    public void close() throws IOException {
        door.close();
        for (Socket socket : accepted) {
            socket.close();
        }
        for (Socket socket : opened) {
            socket.close();
        }
    }

    private void accept() throws IOException {
        while (true) {
            Socket client = door.accept();
            accepted.add(client);
            Socket server = new Socket(InetAddress.getLoopbackAddress(), behind);
            opened.add(server);
            start(() -> pass(client, server));
            start(() -> pass(server, client));
        }
    }

    private static void pass(Socket from, Socket to) throws IOException {
        try (to) {
            from.getInputStream().transferTo(to.getOutputStream());
        }
    }

    /** A task that runs until its sockets are closed. */
    private interface Passing {
        void run() throws IOException;
    }

    private static void start(Passing body) {
        Thread thread = new Thread(
                () -> {
                    try {
                        body.run();
                    } catch (IOException e) {
                        // One side has closed.
                    }
                },
                "counted-connections");
        thread.setDaemon(true);
        thread.start();
    }
}
