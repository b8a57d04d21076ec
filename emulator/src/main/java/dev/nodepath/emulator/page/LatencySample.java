package dev.nodepath.emulator.page;

import dev.nodepath.emulator.walk.WalkTarget;
import dev.nodepath.endpoints.Protocol;
import dev.nodepath.linux.address.IpAddress;
import dev.nodepath.linux.namespace.NetworkNamespace;
import dev.nodepath.linux.syscall.LinuxNetException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * The latencies of probes in sequence, each on its own connection: from the start of the connection to the first byte
 * of the answer. For UDP they go from a query to its answer.
 *
 * @param micros the latency of each answered probe, in the order of sending
 * @param failed how many probes had no answer
 */
record LatencySample(List<Long> micros, int failed) {
    /** The sample without measurements. */
    static final LatencySample NONE = new LatencySample(List.of(), 0);

    private static final int WAIT_MILLIS = 1000;
    /** The wait for the server to end an answered connection; some servers never do. */
    private static final int END_MILLIS = 50;
    /** No probe is sent after this time. */
    private static final Duration ROUND_MAX = Duration.ofSeconds(10);

    /** No probe is sent after this many failures: each lasts as long as the full wait. */
    private static final int FAILED_MAX = 3;

    LatencySample {
        micros = List.copyOf(micros);
    }

    /** Measures from inside a namespace, on one thread. */
    static LatencySample take(NetworkNamespace from, WalkTarget to, IpAddress source, int count)
            throws LinuxNetException {
        InetSocketAddress target = new InetSocketAddress(to.address().toInetAddress(), to.port());
        InetAddress local = source.toInetAddress();
        return from.call(() -> {
            List<Long> micros = new ArrayList<>();
            int failed = 0;
            long end = System.nanoTime() + ROUND_MAX.toNanos();
            for (int i = 0; i < count && failed <= FAILED_MAX && System.nanoTime() < end; i++) {
                try {
                    micros.add(to.protocol() == Protocol.UDP ? overUdp(target, local) : overTcp(target, local));
                } catch (IOException e) {
                    failed++;
                }
            }
            return new LatencySample(micros, failed);
        });
    }

    LatencySample and(LatencySample other) {
        List<Long> all = new ArrayList<>(micros);
        all.addAll(other.micros);
        return new LatencySample(all, failed + other.failed);
    }

    private static long overTcp(InetSocketAddress target, InetAddress local) throws IOException {
        byte[] request = ("GET / HTTP/1.1\r\nHost: " + target.getHostString() + "\r\nConnection: close\r\n\r\n")
                .getBytes(StandardCharsets.US_ASCII);
        try (Socket socket = new Socket()) {
            socket.bind(new InetSocketAddress(local, 0));
            socket.setTcpNoDelay(true);
            socket.setSoTimeout(WAIT_MILLIS);
            long start = System.nanoTime();
            socket.connect(target, WAIT_MILLIS);
            socket.getOutputStream().write(request);
            InputStream input = socket.getInputStream();
            int first = input.read();
            long micros = (System.nanoTime() - start) / 1000;
            if (first < 0) {
                throw new IOException("closed without an answer");
            }
            // The server is to end the connection first, because that end keeps it in TIME_WAIT.
            socket.setSoTimeout(END_MILLIS);
            drain(input);
            return micros;
        }
    }

    /** A server that keeps the connection open has answered all the same. */
    private static void drain(InputStream input) {
        try {
            input.transferTo(OutputStream.nullOutputStream());
        } catch (IOException e) {
            return;
        }
    }

    private static long overUdp(InetSocketAddress target, InetAddress local) throws IOException {
        try (DatagramSocket socket = new DatagramSocket(new InetSocketAddress(local, 0))) {
            socket.connect(target);
            socket.setSoTimeout(WAIT_MILLIS);
            long start = System.nanoTime();
            socket.send(new DatagramPacket(ProbeSocket.QUERY, ProbeSocket.QUERY.length));
            socket.receive(new DatagramPacket(new byte[4096], 4096));
            return (System.nanoTime() - start) / 1000;
        }
    }
}
