package dev.nodepath.agent.routes;

import dev.nodepath.linux.namespace.NetworkNamespace;
import dev.nodepath.linux.syscall.LinuxNetException;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/** A TCP server in a namespace: it sends the source address that it sees in one line, and then echoes its input. */
final class EchoServer implements AutoCloseable {
    static final int PORT = 7007;
    private static final int ANSWER_MILLIS_MAX = 1000;

    private final ServerSocket server;
    private final List<Socket> connections = new CopyOnWriteArrayList<>();

    private EchoServer(ServerSocket server) {
        this.server = server;
    }

    static EchoServer start(NetworkNamespace namespace) throws LinuxNetException {
        EchoServer echo = new EchoServer(namespace.call(() -> new ServerSocket(PORT)));
        thread("echo-accept", echo::accept);
        return echo;
    }

    /** A new connection from a namespace; connecting must not take longer than a lost packet is resent. */
    static Socket connect(NetworkNamespace from, String address) throws LinuxNetException {
        return from.call(() -> {
            Socket socket = new Socket();
            try {
                socket.connect(new InetSocketAddress(InetAddress.getByName(address), PORT), ANSWER_MILLIS_MAX);
                socket.setSoTimeout(300 * ANSWER_MILLIS_MAX);
                socket.setTcpNoDelay(true);
                return socket;
            } catch (IOException e) {
                socket.close();
                throw e;
            }
        });
    }

    /** The source address that the server sees of a connection from a namespace. */
    static String sourceSeen(NetworkNamespace from, String address) throws IOException {
        try (Socket socket = connect(from, address)) {
            return readLine(socket);
        }
    }

    static String readLine(Socket socket) throws IOException {
        StringBuilder line = new StringBuilder();
        for (int next = socket.getInputStream().read();
                next != '\n';
                next = socket.getInputStream().read()) {
            if (next < 0) {
                throw new IOException("the connection ended after \"" + line + "\"");
            }
            line.append((char) next);
        }
        return line.toString();
    }

    /** Sends a line and reads it back. */
    static void exchange(Socket socket, String line) throws IOException {
        socket.getOutputStream().write((line + "\n").getBytes(StandardCharsets.UTF_8));
        String answer = readLine(socket);
        if (!answer.equals(line)) {
            throw new IOException("sent \"" + line + "\", got \"" + answer + "\"");
        }
    }

    private void accept() {
        try {
            while (true) {
                Socket connection = server.accept();
                connections.add(connection);
                thread("echo", () -> serve(connection));
            }
        } catch (IOException e) {
            // Closed: the end of the test.
            return;
        }
    }

    private static void serve(Socket connection) {
        try (connection) {
            String source = connection.getInetAddress().getHostAddress();
            connection.getOutputStream().write((source + "\n").getBytes(StandardCharsets.UTF_8));
            InputStream input = connection.getInputStream();
            byte[] buffer = new byte[1024];
            for (int length = input.read(buffer); length > 0; length = input.read(buffer)) {
                connection.getOutputStream().write(buffer, 0, length);
            }
        } catch (IOException e) {
            // The client has gone.
            return;
        }
    }

    private static void thread(String name, Runnable work) {
        Thread thread = new Thread(work, name);
        thread.setDaemon(true);
        thread.start();
    }

    @Override
    public void close() throws IOException {
        server.close();
        for (Socket connection : connections) {
            connection.close();
        }
    }
}
