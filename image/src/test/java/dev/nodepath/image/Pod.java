package dev.nodepath.image;

import static java.nio.charset.StandardCharsets.US_ASCII;

import dev.nodepath.linux.KernelLinuxNet;
import dev.nodepath.linux.address.IpAddress;
import dev.nodepath.linux.address.IpFamily;
import dev.nodepath.linux.namespace.NetworkNamespace;
import dev.nodepath.linux.syscall.LinuxNetException;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/**
 * A pod: its sockets are opened in its namespace, and this process serves them. A client of port 8080 gets the pod's
 * name and its own address as the pod sees it; then each of its lines comes back. A datagram to that port gets name
 * and address too.
 */
final class Pod implements AutoCloseable {
    static final int PORT = 8080;
    private static final int TIMEOUT_MILLIS = 10_000;

    /** TCP repeats data lost in an outage after 0.2, 0.6, 1.4 and 3 s. */
    private static final int ANSWER_MILLIS_MAX = 60_000;

    private static final int DATAGRAM_BYTES_MAX = 512;

    private final DockerNode node;
    private final String name;
    private final List<IpAddress> addresses;
    private final NetworkNamespace namespace;
    private final ServerSocket listening;
    private final DatagramSocket datagrams;

    Pod(DockerNode node, String name, Path file, List<IpAddress> addresses) throws LinuxNetException {
        this.node = node;
        this.name = name;
        this.addresses = List.copyOf(addresses);
        namespace = new KernelLinuxNet().open(file);
        listening = namespace.call(() -> new ServerSocket(PORT, 200));
        datagrams = namespace.call(() -> new DatagramSocket(PORT));
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
        start("pod-" + name + "-udp", this::answerDatagrams);
    }

    String name() {
        return name;
    }

    DockerNode node() {
        return node;
    }

    Optional<IpAddress> address(IpFamily family) {
        return addresses.stream().filter(address -> address.family() == family).findFirst();
    }

    /** Its IPv4 address, which every pod has. */
    IpAddress address() {
        return address(IpFamily.IPV4).orElseThrow();
    }

    /** A connection from this pod. */
    Socket connect(IpAddress address, int port) throws LinuxNetException {
        return namespace.call(() -> connected(address, port));
    }

    /** The answering pod, and the address that it sees: NAME ADDRESS. */
    String ask(IpAddress address, int port) throws IOException {
        try (Socket socket = connect(address, port)) {
            return greeting(socket);
        }
    }

    /** The same by UDP, from a port of its own. */
    String askUdp(IpAddress address, int port) throws IOException {
        return namespace.call(() -> answer(address, port));
    }

    /** A connection from the calling thread's namespace. */
    static Socket connected(IpAddress address, int port) throws IOException {
        Socket socket = new Socket();
        try {
            socket.setTcpNoDelay(true);
            socket.setSoTimeout(ANSWER_MILLIS_MAX);
            socket.connect(new InetSocketAddress(address.toInetAddress(), port), TIMEOUT_MILLIS);
            return socket;
        } catch (IOException e) {
            socket.close();
            throw e;
        }
    }

    /** The answer to a datagram from the calling thread's namespace. */
    static String answer(IpAddress address, int port) throws IOException {
        try (DatagramSocket socket = new DatagramSocket()) {
            socket.setSoTimeout(TIMEOUT_MILLIS);
            socket.connect(address.toInetAddress(), port);
            socket.send(new DatagramPacket(new byte[1], 1));
            DatagramPacket answer = new DatagramPacket(new byte[DATAGRAM_BYTES_MAX], DATAGRAM_BYTES_MAX);
            socket.receive(answer);
            return new String(answer.getData(), 0, answer.getLength(), US_ASCII);
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
            datagrams.close();
            namespace.close();
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }

    private void serve(Socket client) {
        try (client) {
            client.setTcpNoDelay(true);
            write(client, greeting(client.getInetAddress()));
            BufferedReader in = reader(client);
            for (String line = in.readLine(); line != null; line = in.readLine()) {
                write(client, line);
            }
        } catch (IOException e) {
            // The client is gone.
        }
    }

    private void answerDatagrams() {
        DatagramPacket packet = new DatagramPacket(new byte[DATAGRAM_BYTES_MAX], DATAGRAM_BYTES_MAX);
        while (!datagrams.isClosed()) {
            try {
                datagrams.receive(packet);
                byte[] answer = greeting(packet.getAddress()).getBytes(US_ASCII);
                datagrams.send(new DatagramPacket(answer, answer.length, packet.getSocketAddress()));
            } catch (IOException e) {
                // The client is gone, or the socket.
            }
        }
    }

    private String greeting(InetAddress client) {
        return name + " " + IpAddress.of(client);
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
