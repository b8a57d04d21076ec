package dev.nodepath.dns;

import java.io.IOException;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.Arrays;

/** Queries over UDP on loopback. */
final class UdpClient implements AutoCloseable {
    private static final int TIMEOUT_MILLIS = 300_000;
    private static final int MESSAGE_MAX = 65535;
    private final DatagramSocket socket;

    UdpClient() throws IOException {
        socket = new DatagramSocket(0, InetAddress.getLoopbackAddress());
        socket.setSoTimeout(TIMEOUT_MILLIS);
    }

    byte[] ask(int port, byte[] query) throws IOException {
        send(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), query);
        return receive();
    }

    void send(InetSocketAddress to, byte[] message) throws IOException {
        socket.send(new DatagramPacket(message, message.length, to));
    }

    byte[] receive() throws IOException {
        DatagramPacket packet = new DatagramPacket(new byte[MESSAGE_MAX], MESSAGE_MAX);
        socket.receive(packet);
        return Arrays.copyOf(packet.getData(), packet.getLength());
    }

    @Override
    public void close() {
        socket.close();
    }
}
