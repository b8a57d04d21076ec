package dev.nodepath.bench.testbed;

import java.io.IOException;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.InetSocketAddress;
import java.net.SocketTimeoutException;
import java.time.Duration;

/** Small datagrams to a server that echoes them. Run it on a thread inside the client's namespace. */
public final class UdpLoad {
    private static final int DATAGRAM_BYTES = 64;
    /** Datagrams under way at once: enough to keep a relay busy, few enough for every socket's buffer. */
    private static final int OUTSTANDING = 32;
    /** A datagram without an echo for this long counts as lost, and another one is sent. */
    private static final int SILENCE_MILLIS = 100;

    private UdpLoad() {}

    /**
     * How much came back.
     *
     * @param echoes datagrams that came back
     * @param elapsed the measured time
     */
    public record Result(long echoes, Duration elapsed) {
        /** Datagrams that came back in a second. */
        public double perSecond() {
            return echoes * 1e9 / elapsed.toNanos();
        }
    }

    /** Sends a datagram for each echo, for this long, as one flow. */
    public static Result run(InetSocketAddress target, Duration length) throws IOException {
        try (DatagramSocket socket = new DatagramSocket()) {
            socket.connect(target);
            socket.setSoTimeout(SILENCE_MILLIS);
            DatagramPacket packet = new DatagramPacket(new byte[DATAGRAM_BYTES], DATAGRAM_BYTES);
            long start = System.nanoTime();
            long echoes = 0;
            sendAll(socket, packet);
            long now = System.nanoTime();
            while (now - start < length.toNanos()) {
                try {
                    socket.receive(packet);
                    echoes++;
                    socket.send(packet);
                } catch (SocketTimeoutException e) {
                    sendAll(socket, packet);
                }
                now = System.nanoTime();
            }
            return new Result(echoes, Duration.ofNanos(now - start));
        }
    }

    /**
     * The time from the first datagram of a new flow to its echo.
     *
     * @throws IOException if none comes within this limit
     */
    public static Duration firstEcho(InetSocketAddress target, Duration limit) throws IOException {
        try (DatagramSocket socket = new DatagramSocket()) {
            socket.connect(target);
            socket.setSoTimeout((int) limit.toMillis());
            DatagramPacket packet = new DatagramPacket(new byte[DATAGRAM_BYTES], DATAGRAM_BYTES);
            long start = System.nanoTime();
            socket.send(packet);
            socket.receive(packet);
            return Duration.ofNanos(System.nanoTime() - start);
        }
    }

    private static void sendAll(DatagramSocket socket, DatagramPacket packet) throws IOException {
        for (int i = 0; i < OUTSTANDING; i++) {
            socket.send(packet);
        }
    }
}
