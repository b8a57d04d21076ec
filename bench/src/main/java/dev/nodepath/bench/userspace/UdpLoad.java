package dev.nodepath.bench.userspace;

import java.io.IOException;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketTimeoutException;
import java.time.Duration;

/** {@code UdpLoad echo IP PORT}: answers every datagram. {@code UdpLoad ask IP PORT SECONDS}: prints echoes per second. */
public final class UdpLoad {
    private static final int DATAGRAM_BYTES = 64;
    private static final int OUTSTANDING = 32;

    private UdpLoad() {}

    /** See the class. */
    public static void main(String[] args) throws IOException {
        InetSocketAddress address = new InetSocketAddress(InetAddress.getByName(args[1]), Integer.parseInt(args[2]));
        if (args[0].equals("echo")) {
            echo(address);
        } else {
            System.out.println(ask(address, Duration.ofSeconds(Long.parseLong(args[3]))));
        }
    }

    private static void echo(InetSocketAddress address) throws IOException {
        try (DatagramSocket socket = new DatagramSocket(address)) {
            DatagramPacket packet = new DatagramPacket(new byte[2048], 2048);
            while (true) {
                packet.setLength(2048);
                socket.receive(packet);
                socket.send(packet);
            }
        }
    }

    private static long ask(InetSocketAddress address, Duration duration) throws IOException {
        try (DatagramSocket socket = new DatagramSocket()) {
            socket.connect(address);
            socket.setSoTimeout(100);
            DatagramPacket packet = new DatagramPacket(new byte[DATAGRAM_BYTES], DATAGRAM_BYTES);
            long end = System.nanoTime() + duration.toNanos();
            long answers = 0;
            sendAll(socket, packet);
            while (System.nanoTime() < end) {
                try {
                    socket.receive(packet);
                    answers++;
                    socket.send(packet);
                } catch (SocketTimeoutException e) {
                    sendAll(socket, packet);
                }
            }
            return answers / duration.toSeconds();
        }
    }

    private static void sendAll(DatagramSocket socket, DatagramPacket packet) throws IOException {
        for (int i = 0; i < OUTSTANDING; i++) {
            socket.send(packet);
        }
    }
}
