package dev.nodepath.proxy.userspace;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;

/**
 * One end of many silent connections, in a process of its own, because each takes a descriptor. Two ways to start it:
 * {@code listen} prints its port; {@code connect PORT COUNT} prints {@code open} when it has connected. Both end, and
 * with them their connections, when their input ends.
 */
final class IdlePeer implements AutoCloseable {
    private final Process process;
    private final BufferedReader output;

    private IdlePeer(Process process) {
        this.process = process;
        this.output = new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
    }

    static IdlePeer start(String... arguments) throws Exception {
        Path classes = Path.of(IdlePeer.class
                .getProtectionDomain()
                .getCodeSource()
                .getLocation()
                .toURI());
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:+UseSerialGC",
                "-XX:TieredStopAtLevel=1",
                "-cp",
                classes.toString(),
                IdlePeer.class.getName()));
        command.addAll(List.of(arguments));
        return new IdlePeer(new ProcessBuilder(command)
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start());
    }

    String line() throws IOException {
        String line = output.readLine();
        if (line == null) {
            throw new IOException("idle peer: ended (expected: a line)");
        }
        return line;
    }

    /** Ends the process without a word to its connections. */
    void kill() {
        process.destroyForcibly();
    }

    @Override
    public void close() throws IOException {
        process.getOutputStream().close();
    }

    /** See the class. */
    public static void main(String[] args) throws IOException {
        Queue<AutoCloseable> held = new ConcurrentLinkedQueue<>();
        if (args[0].equals("listen")) {
            ServerSocket listener = new ServerSocket(0, 4096, InetAddress.getLoopbackAddress());
            Thread acceptor = new Thread(() -> acceptAll(listener, held));
            acceptor.setDaemon(true);
            acceptor.start();
            System.out.println(listener.getLocalPort());
        } else {
            InetSocketAddress relay =
                    new InetSocketAddress(InetAddress.getLoopbackAddress(), Integer.parseInt(args[1]));
            for (int i = 0; i < Integer.parseInt(args[2]); i++) {
                held.add(SocketChannel.open(relay));
            }
            System.out.println("open");
        }
        System.in.read();
    }

    private static void acceptAll(ServerSocket listener, Queue<AutoCloseable> held) {
        try {
            while (true) {
                Socket socket = listener.accept();
                held.add(socket);
            }
        } catch (IOException e) {
            throw new IllegalStateException("idle peer: cannot accept", e);
        }
    }
}
