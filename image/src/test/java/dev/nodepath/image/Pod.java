package dev.nodepath.image;

import static java.nio.charset.StandardCharsets.US_ASCII;

import dev.nodepath.linux.KernelLinuxNet;
import dev.nodepath.linux.LinuxNetException;
import dev.nodepath.linux.NetworkNamespace;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Path;
import java.util.List;

/**
 * A pod: its sockets are opened in its namespace and served here. Whoever connects to port 8080 is told its name and the address
 * that it sees, then each line comes back.
 */
final class Pod implements AutoCloseable {
    static final int PORT = 8080;
    private static final int TIMEOUT_MILLIS = 2_000;

    private final DockerNode node;
    private final String name;
    private final List<String> addresses;
    private final NetworkNamespace namespace;
    private final ServerSocket listening;

    Pod(DockerNode node, String name, Path file, List<String> addresses) throws LinuxNetException {
        this.node = node;
        this.name = name;
        this.addresses = List.copyOf(addresses);
        namespace = new KernelLinuxNet().open(file);
        listening = namespace.call(() -> new ServerSocket(PORT, 200));
        start("pod-" + name, () -> {
            while (!listening.isClosed()) {
                try {
                    Socket client = listening.accept();
                    start("pod-" + name, () -> serve(client));
                } catch (IOException e) {
                    return;
                }
            }
        });
    }

    String name() {
        return name;
    }

    DockerNode node() {
        return node;
    }

    /** Its first address. */
    String address() {
        return addresses.get(0);
    }

    /** A connection from this pod. */
    Socket connect(String address, int port) throws LinuxNetException {
        return namespace.call(() -> {
            Socket socket = new Socket();
            try {
                socket.setTcpNoDelay(true);
                socket.setSoTimeout(TIMEOUT_MILLIS);
                socket.connect(new InetSocketAddress(address, port), TIMEOUT_MILLIS);
                return socket;
            } catch (IOException e) {
                socket.close();
                throw e;
            }
        });
    }

    /** Who answers there, and which address it sees: NAME ADDRESS. */
    String ask(String address, int port) throws IOException {
        try (Socket socket = connect(address, port)) {
            return greeting(socket);
        }
    }

    /** The first line of a connection. */
    static String greeting(Socket socket) throws IOException {
        String line = reader(socket).readLine();
        if (line == null) {
            throw new IOException("closed without a greeting");
        }
        return line;
    }

    static BufferedReader reader(Socket socket) throws IOException {
        return new BufferedReader(new InputStreamReader(socket.getInputStream(), US_ASCII));
    }

    @Override
    public void close() {
        try {
            listening.close();
            namespace.close();
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }

    private void serve(Socket client) {
        try (client) {
            client.setTcpNoDelay(true);
            write(client, name + " " + client.getInetAddress().getHostAddress());
            BufferedReader in = reader(client);
            for (String line = in.readLine(); line != null; line = in.readLine()) {
                write(client, line);
            }
        } catch (IOException e) {
            // The client is gone.
        }
    }

    static void write(Socket socket, String line) throws IOException {
        socket.getOutputStream().write((line + "\n").getBytes(US_ASCII));
    }

    static Thread start(String name, Runnable work) {
        Thread thread = new Thread(work, name);
        thread.setDaemon(true);
        thread.start();
        return thread;
    }
}
